// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// The installations among some whose data waits, as of one look at the disk.
///
/// An installation that waits for something later was used later, which its records show. The look is one of many pieces, so that flushes
/// of others come between.
struct WaitingInstallations: Sendable {
    private var numbers: Set<UInt32> = []
    private var ids: Set<InstallationID> = []
    private static let portion = 4096
    private static let records = 256

    /// Looks at the events, the batches, the dead letters, the alias requests, the opt-outs and the services.
    ///
    /// - Parameters:
    ///   - candidates: The installations in question; of others nothing is remembered.
    ///   - context: The parts that the runtime shares.
    ///   - services: The services.
    /// - Throws: The error of the disk; `cancelled`.
    init(
        among candidates: [InstallationReset],
        _ context: RuntimeContext,
        _ services: LinkedServices
    ) async throws(SignetError) {
        let (numbers, ids) = (Set(candidates.map(\.number)), Set(candidates.map(\.id)))
        // Events that the disk had refused have no place in the journal yet.
        try await context.disk.performUntilCancelled { () throws(SignetError) in try context.emptyMemory() }
        try await self.readEvents(of: numbers, context)
        let batches = try await Self.values(StateKey.batches, context) { BatchRecord($0)?.installation }
        let letters = try await Self.values(StateKey.deadLetterBatches, context) { DeadLetterRecord($0)?.installation }
        let aliases = try await Self.values(StateKey.aliases, context) { AliasRecord($0)?.installation }
        self.numbers.formUnion(batches.intersection(numbers))
        self.numbers.formUnion(letters.intersection(numbers))
        self.ids.formUnion(aliases.intersection(ids))
        for prefix in [StateKey.optOuts, StateKey.dueOptOuts] {
            let found = try await context.disk.performUntilCancelled { () throws(SignetError) in
                Set(
                    try context.store.keys(withPrefix: prefix).lazy
                        .compactMap { Self.number(in: $0) }.filter(numbers.contains)
                )
            }
            self.numbers.formUnion(found)
        }
        // A marked record of a service beside its memory is a user's, and was not sent; a visitor's waits for the visitor alone. The
        // memory of a service that was given is read later.
        let given = Set(services.stored.definitions.map(\.tag))
        let records = try await context.disk.performUntilCancelled { () throws(SignetError) in
            try context.store.keys(withPrefix: StateKey.services).filter { key in
                guard let (number, tag) = StateKey.service(in: key) else { return false }
                return numbers.contains(number) && (key.count > 6 || !given.contains(tag)) && context.store.isDue(key)
            }
        }
        self.numbers.formUnion(records.lazy.compactMap { StateKey.service(in: $0)?.number })
        for service in services.all {
            self.ids.formUnion(service.linkedManagers.lazy.map(\.installation).filter(ids.contains))
        }
    }

    /// True if data of an installation waits.
    func contains(_ number: UInt32, _ id: InstallationID) -> Bool {
        self.numbers.contains(number) || self.ids.contains(id)
    }

    /// The number after the letter of a key.
    private static func number(in key: [UInt8]) -> UInt32? {
        StateKey.number(key.dropFirst().prefix(4))
    }

    private mutating func readEvents(of numbers: Set<UInt32>, _ context: RuntimeContext) async throws(SignetError) {
        let limit = Self.portion
        var last: UInt64? = 0
        while let after = last {
            guard !Task.isCancelled else { throw .cancelled }
            let (found, next) = try await context.disk.performUntilCancelled {
                () throws(SignetError) -> (Set<UInt32>, UInt64?) in
                var found: Set<UInt32> = []
                do throws(StorageError) {
                    let next = try context.journal.visit(after: after, limit: limit) { _, stamp, _ in
                        if let tag = EventMetadata(stamp), numbers.contains(tag.installation) {
                            found.insert(tag.installation)
                        }
                    }
                    return (found, next)
                } catch {
                    throw SignetError(error)
                }
            }
            self.numbers.formUnion(found)
            last = next
        }
    }

    /// Reads the records of a kind, some at a time; a damaged one says nothing.
    private static func values<Owner: Hashable & Sendable>(
        _ prefix: [UInt8],
        _ context: RuntimeContext,
        _ owner: @escaping @Sendable ([UInt8]) -> Owner?
    ) async throws(SignetError) -> Set<Owner> {
        let keys = try await context.disk.performUntilCancelled { () throws(SignetError) in
            try context.store.keys(withPrefix: prefix)
        }
        var owners: Set<Owner> = []
        var rest = keys[...]
        while !rest.isEmpty {
            guard !Task.isCancelled else { throw .cancelled }
            let portion = rest.prefix(Self.records)
            let found = try await context.disk.performUntilCancelled { () throws(SignetError) in
                var found: Set<Owner> = []
                for key in portion {
                    do throws(SignetError) {
                        if let owner = try context.store.value(for: key).flatMap(owner) { found.insert(owner) }
                    } catch {
                        guard error.isDamage else { throw error }
                    }
                }
                return found
            }
            owners.formUnion(found)
            rest = rest.dropFirst(Self.records)
        }
        return owners
    }
}
