// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Removes what is left of installations that never were: of a first write that a kill, or a full disk, cut short.
///
/// That is a number, and a choice of a context with an address. No removal and no erasure finds them, as the record of the users comes last.
/// An installation whose object is in memory is left alone: it may just be written. So is a number of which something waits.
struct UnbornInstallations: Sendable {
    private let context: RuntimeContext
    private let managers: RuntimeManagers
    private let registry: InstallationRegistry

    /// The number of records that are read in one piece of the disk's work.
    private static let portion = 512

    init(_ opening: InstallationOpening) {
        (self.context, self.managers, self.registry) = (opening.context, opening.managers, opening.registry)
    }

    /// Removes them, piece by piece on the disk's own thread.
    ///
    /// - Throws: The error of the disk, then the next process removes the rest; `cancelled`.
    func remove() async throws(SignetError) {
        let (disk, store) = (self.context.disk, self.context.store)
        let choices = try await disk.performUntilCancelled { () throws(SignetError) in
            try store.keys(withPrefix: StateKey.chosenContexts).filter { !store.contains(Self.identity(ofChoice: $0)) }
        }
        for key in choices {
            try await disk.performUntilCancelled { () throws(SignetError) in
                let id = Self.id(ofChoice: key)
                _ = try self.registry.unlessPresent(id) { () throws(SignetError) in
                    if !store.contains(StateKey.identity(id)) { try store.remove(key) }
                }
            }
        }
        let unborn = try await self.numbers()
        guard !unborn.isEmpty else { return }
        let waiting = try await WaitingInstallations(among: unborn, self.context, self.managers.linked)
        for one in unborn where !waiting.contains(one.number, one.id) {
            try await disk.performUntilCancelled { () throws(SignetError) in
                _ = try self.registry.unlessPresent(one.id) { () throws(SignetError) in
                    if try self.isUnborn(one) { try store.remove(StateKey.number(one.number)) }
                }
            }
        }
    }

    /// The numbers that belong to no installation.
    private func numbers() async throws(SignetError) -> [InstallationReset] {
        let (disk, store) = (self.context.disk, self.context.store)
        let keys = try await disk.performUntilCancelled { () throws(SignetError) in
            try store.keys(withPrefix: StateKey.numberedInstallations)
        }
        let count = try await disk.performUntilCancelled { () throws(SignetError) in
            try store.keys(withPrefix: StateKey.identities).count
        }
        // Mostly each has one, and no record need be read.
        guard keys.count > count else { return [] }
        var unborn: [InstallationReset] = []
        var rest = keys[...]
        while !rest.isEmpty {
            guard !Task.isCancelled else { throw .cancelled }
            let portion = rest.prefix(Self.portion)
            unborn += try await disk.performUntilCancelled { () throws(SignetError) in
                var found: [InstallationReset] = []
                for key in portion {
                    guard let number = StateKey.number(in: key) else { continue }
                    do throws(SignetError) {
                        guard let id = try self.context.numbers.installation(number) else { continue }
                        let one = InstallationReset(number: number, id: id)
                        if try self.isUnborn(one) { found.append(one) }
                    } catch {
                        guard error.isDamage else { throw error }
                    }
                }
                return found
            }
            rest = rest.dropFirst(Self.portion)
        }
        return unborn
    }

    /// True if no installation has the number, and none is about to be removed with it.
    ///
    /// A record that cannot be read may have it.
    private func isUnborn(_ one: InstallationReset) throws(SignetError) -> Bool {
        guard !self.managers.resets.withLock({ $0.all.contains(one) }) else { return false }
        do throws(SignetError) {
            guard let bytes = try self.context.store.value(for: StateKey.identity(one.id)) else { return true }
            return try IdentityState(decoding: bytes).number != one.number
        } catch {
            guard error.isUnreadable else { throw error }
            return false
        }
    }

    private static func id(ofChoice key: [UInt8]) -> InstallationID {
        InstallationID(String(decoding: key.dropFirst(StateKey.chosenContexts.count), as: UTF8.self))
    }

    private static func identity(ofChoice key: [UInt8]) -> [UInt8] {
        StateKey.identities + key.dropFirst(StateKey.chosenContexts.count)
    }
}
