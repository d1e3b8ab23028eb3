// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Notes the opens of installations that leave no other trace, once a day each.
///
/// An open that begins a session is in the session record. A visitor who comes each day, but has no session, is used all the same.
final class InstallationUses: Sendable {
    private struct State {
        var day: Int64 = 0
        /// The installations noted on that day.
        var noted: Set<UInt32> = []
    }

    private let store: StateStore
    private let state = Locked(State())
    private static let day: Int64 = 86_400_000

    init(store: StateStore) {
        self.store = store
    }

    /// Notes a use.
    ///
    /// - Parameters:
    ///   - number: The number of an installation on disk.
    ///   - now: The time in milliseconds since 1970.
    /// - Throws: The error of the disk; then the next use notes it.
    func note(_ number: UInt32, now: Int64) throws(SignetError) {
        let isNew = self.state.withLock { state in
            if state.day != now / Self.day { state = State(day: now / Self.day) }
            return state.noted.insert(number).inserted
        }
        guard isNew else { return }
        do throws(SignetError) {
            try self.store.put(StoredNumber(UInt64(clamping: now)).encoded(), for: StateKey.lastUse(number))
        } catch {
            self.state.withLock { _ = $0.noted.remove(number) }
            throw error
        }
    }

    /// The end of the day of the last use that was noted, in milliseconds since 1970: there may have been later ones on that day.
    ///
    /// Nil if none was noted, or if the record is damaged.
    func last(of number: UInt32) throws(SignetError) -> Int64? {
        do throws(SignetError) {
            let bytes = try self.store.value(for: StateKey.lastUse(number))
            guard let noted = bytes.flatMap({ StoredNumber($0) })?.value else { return nil }
            return (Int64(clamping: noted) / Self.day + 1).multipliedReportingOverflow(by: Self.day).partialValue
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }
}
