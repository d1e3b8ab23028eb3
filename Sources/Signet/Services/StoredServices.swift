// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The records that services have on disk, for erasures and resets.
///
/// Among them are records of services that this runtime was not given, but an earlier one was.
struct StoredServices: Sendable {
    /// The numbers of removed records, by the letter of the service.
    typealias Counts = [UInt8: Int]

    let store: StateStore
    let definitions: [ServiceDefinition]

    init(_ store: StateStore, _ definitions: [ServiceDefinition]) {
        (self.store, self.definitions) = (store, definitions)
    }

    /// The services with records, by the number of the installation.
    func found() throws(SignetError) -> [UInt32: Set<UInt8>] {
        var found: [UInt32: Set<UInt8>] = [:]
        for key in try self.store.keys(withPrefix: StateKey.services) {
            if let (number, tag) = StateKey.service(in: key) { found[number, default: []].insert(tag) }
        }
        return found
    }

    /// Removes the records of all services for an installation.
    func removeAll(of number: UInt32) throws(SignetError) -> Counts {
        try Self.remove(try self.store.keys(withPrefix: StateKey.services(of: number)), from: self.store)
    }

    /// Removes the records of all services for an installation.
    ///
    /// - Parameters:
    ///   - keys: All keys of its records.
    ///   - store: The records.
    /// - Returns: The numbers of removed records.
    /// - Throws: `SignetError` from the disk.
    static func remove(_ keys: [[UInt8]], from store: StateStore) throws(SignetError) -> Counts {
        var counts: Counts = [:]
        // A memory goes after its numbered records: it shows after a kill that some are left.
        for key in keys where key.count > 6 {
            try store.remove(key)
            counts[key[5], default: 0] += 1
        }
        for key in keys where key.count == 6 { try store.remove(key) }
        return counts
    }

    /// True if a service has work to do for an installation that has not opted out; also if it cannot tell.
    func areDue(_ number: UInt32) throws(SignetError) -> Bool {
        for definition in self.definitions {
            let records = ServiceRecords(self.store, of: definition, installation: number)
            guard records.isThere else { continue }
            do throws(SignetError) {
                if try definition.due(records, false) == .due { return true }
            } catch {
                guard error.isUnreadable else { throw error }
                return true
            }
        }
        return false
    }

    /// Those of these services that this runtime was not given.
    func others(_ tags: Set<UInt8>) -> [UInt8] {
        tags.filter { tag in !self.definitions.contains { $0.tag == tag } }.sorted()
    }

    /// The name of the count of removed records, by the letter of their service.
    fileprivate func nameOfCount(_ tag: UInt8) -> String {
        self.definitions.first { $0.tag == tag }?.erasedCount ?? "other.records_erased"
    }
}

extension StatisticsRecorder {
    /// Counts records of services that an erasure or a reset has removed.
    func recordsErased(_ counts: StoredServices.Counts, _ services: StoredServices) {
        guard counts.values.contains(where: { $0 > 0 }) else { return }
        self.record { statistics in
            for (tag, count) in counts where count > 0 {
                statistics.serviceCounts[services.nameOfCount(tag), default: 0] += count
            }
        }
    }
}
