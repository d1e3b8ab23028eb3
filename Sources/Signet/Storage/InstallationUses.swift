// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Notes the uses of installations that leave no other trace of their time, once a day each.
///
/// An open that begins a session is in the session record. A visitor who comes each day, but has no session, is used all the same; so is
/// one whose handle is held for months, and only sets attributes.
final class InstallationUses: Sendable {
    private struct State {
        var day: Int64 = 0
        /// The installations noted on that day.
        var noted: Set<UInt32> = []
        /// A moment that has passed, whatever the wall clock says.
        var floor: Int64 = 0
    }

    private let store: StateStore
    private let state = Locked(State())
    private static let day: Int64 = 86_400_000
    /// The number of installations that are remembered; more are written again, which costs a write.
    private static let limit = 100_000

    init(store: StateStore) {
        self.store = store
    }

    /// Takes a moment that has passed, from a clock that was believed: uses before it are noted as of it.
    ///
    /// A machine may start in 1970, until it has asked for the time.
    func begin(after moment: Int64) {
        self.state.withLock { $0.floor = moment }
    }

    /// True if the wall clock shows a time that has passed: then no other record has the right one.
    func isBehind(_ now: Int64) -> Bool {
        self.state.withLock { now < $0.floor - Self.day }
    }

    /// Notes a use.
    ///
    /// - Parameters:
    ///   - number: The number of an installation on disk.
    ///   - now: The time in milliseconds since 1970.
    /// - Throws: The error of the disk; then the next use notes it.
    func note(_ number: UInt32, now: Int64) throws(SignetError) {
        let time = self.state.withLock { state -> Int64? in
            let time = max(now, state.floor)
            if state.day != time / Self.day { (state.day, state.noted) = (time / Self.day, []) }
            if state.noted.count >= Self.limit { state.noted = [] }
            return state.noted.insert(number).inserted ? time : nil
        }
        guard let time else { return }
        do throws(SignetError) {
            try self.store.put(StoredNumber(UInt64(clamping: time)).encoded(), for: StateKey.lastUse(number))
        } catch {
            self.state.withLock { _ = $0.noted.remove(number) }
            throw error
        }
    }

    /// Notes a use that a record is about to show only if it is of today.
    ///
    /// - Parameters:
    ///   - number: The number of the installation; zero notes nothing.
    ///   - told: The last use of which the record knows.
    ///   - now: The time; both in milliseconds since 1970.
    /// - Throws: The error of the disk.
    func note(_ number: UInt32, since told: Int64, now: Int64) throws(SignetError) {
        guard number != 0, told / Self.day != now / Self.day || self.isBehind(now) else { return }
        try self.note(number, now: now)
    }

    /// The end of the day of the last use that was noted, in milliseconds since 1970: there may have been later ones on that day.
    ///
    /// - Returns: Nil if none was noted.
    /// - Throws: The error of the disk; damage: then nothing says when it was used.
    func last(of number: UInt32) throws(SignetError) -> Int64? {
        guard let bytes = try self.store.value(for: StateKey.lastUse(number)) else { return nil }
        let noted = Int64(clamping: try StoredNumber(decoding: bytes).value)
        return (noted / Self.day + 1).multipliedReportingOverflow(by: Self.day).partialValue
    }
}
