// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Numbers of installations.
///
/// The tags of events name the installation of their logging by its number.
///
/// A number belongs to one installation forever. It is on disk before the first event that carries it.
final class InstallationNumbers: Sendable {
    private struct State {
        /// The next number.
        var next: UInt32
        /// Numbers below this may be assigned; a restart begins with it.
        var reserved: UInt32
        /// The numbers by installation, where no record of the installation keeps its number: it is in a shared store.
        var known: [InstallationID: UInt32]?
    }

    private let store: StateStore
    private let state: Locked<State>
    /// The size of a reservation.
    ///
    /// A restart skips the reserved numbers that were not assigned.
    private static let block: UInt32 = 1024

    /// Makes the numbers of a directory.
    ///
    /// - Parameters:
    ///   - store: The records.
    ///   - isShared: True if the records of the installations are in a shared store.
    /// - Throws: The error of the disk.
    init(store: StateStore, isShared: Bool = false) throws(SignetError) {
        self.store = store
        let stored = try store.value(for: StateKey.numbers).map { bytes throws(SignetError) in
            try StoredNumber(decoding: bytes)
        }
        let reserved = UInt32(clamping: stored?.value ?? 1)
        let known = isShared ? try Self.stored(in: store) : nil
        self.state = Locked(State(next: reserved, reserved: reserved, known: known))
    }

    private static func stored(in store: StateStore) throws(SignetError) -> [InstallationID: UInt32] {
        var known: [InstallationID: UInt32] = [:]
        for key in try store.keys(withPrefix: StateKey.numberedInstallations) {
            guard let number = StateKey.number(in: key), let name = try store.value(for: key) else { continue }
            known[InstallationID(String(decoding: name, as: UTF8.self))] = number
        }
        return known
    }

    /// The number of an installation in a shared store; nil if it has none.
    func number(of id: InstallationID) -> UInt32? {
        self.state.withLock { $0.known?[id] }
    }

    /// Assigns a number to an installation.
    func assign(to id: InstallationID) throws(SignetError) -> UInt32 {
        if let known = self.number(of: id) { return known }
        let number = try self.state.withLock { state throws(SignetError) in
            if state.next == state.reserved {
                guard state.reserved < .max - Self.block else {
                    throw SignetError(
                        .diskFailed,
                        "The directory has numbered four billion installations, the limit. Use a new directory."
                    )
                }
                let reserved = StoredNumber(UInt64(state.reserved + Self.block))
                try self.store.put(reserved.encoded(), for: StateKey.numbers)
                // A number forgotten in a loss of power would be assigned again, with the events of another installation.
                try self.store.sync()
                state.reserved += Self.block
            }
            defer { state.next += 1 }
            return state.next
        }
        try self.store.put(Array(id.rawValue.utf8), for: StateKey.number(number))
        self.state.withLock { if $0.known != nil { $0.known?[id] = number } }
        return number
    }

    /// Writes the installation of a number again if a loss of power has removed it.
    func confirm(_ number: UInt32, of id: InstallationID) throws(SignetError) {
        guard !self.store.contains(StateKey.number(number)) else { return }
        try self.store.put(Array(id.rawValue.utf8), for: StateKey.number(number))
    }

    /// The installation of a number; nil when there is none.
    func installation(_ number: UInt32) throws(SignetError) -> InstallationID? {
        try self.store.value(for: StateKey.number(number)).map { InstallationID(String(decoding: $0, as: UTF8.self)) }
    }
}
