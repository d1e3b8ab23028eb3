// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The records of installations whose keys only a scan finds, read once for many installations.
struct ScatteredRecords {
    /// The keys of services, by the number of the installation.
    private var services: [UInt32: [[UInt8]]] = [:]
    /// The keys of opt-outs and breadcrumbs, by the number of the installation.
    private var others: [UInt32: [[UInt8]]] = [:]
    /// The keys of alias requests, by installation.
    private var aliases: [InstallationID: [[UInt8]]] = [:]

    /// Reads the keys of some installations.
    ///
    /// A request that cannot be read names no installation, and stays.
    init(of resets: [InstallationReset], in store: StateStore) throws(SignetError) {
        let numbers = Set(resets.map(\.number))
        let ids = Set(resets.map(\.id))
        for key in try store.keys(withPrefix: StateKey.services) {
            guard let number: UInt32 = StateKey.number(key.dropFirst().prefix(4)), numbers.contains(number) else {
                continue
            }
            self.services[number, default: []].append(key)
        }
        for prefix in [StateKey.optOuts, StateKey.breadcrumbs] {
            for key in try store.keys(withPrefix: prefix) {
                guard let number: UInt32 = StateKey.number(key.dropFirst().prefix(4)), numbers.contains(number) else {
                    continue
                }
                self.others[number, default: []].append(key)
            }
        }
        for (key, value) in try store.values(withPrefix: StateKey.aliases, onDamage: { _ in }) {
            guard let id = AliasRecord(value)?.installation, ids.contains(id) else { continue }
            self.aliases[id, default: []].append(key)
        }
    }

    /// Removes the records that belong to a number.
    ///
    /// - Returns: The numbers of removed records of services.
    func removeNumbered(of number: UInt32, from store: StateStore) throws(SignetError) -> StoredServices.Counts {
        let counts = try StoredServices.remove(self.services[number] ?? [], from: store)
        for key in self.others[number] ?? [] { try store.remove(key) }
        return counts
    }

    /// Removes the alias requests of an installation.
    func removeAliases(of id: InstallationID, from store: StateStore) throws(SignetError) {
        for key in self.aliases[id] ?? [] { try store.remove(key) }
    }
}
