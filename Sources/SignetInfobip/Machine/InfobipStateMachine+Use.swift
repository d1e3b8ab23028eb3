// SPDX-License-Identifier: Apache-2.0

import Signet

// The use of the app, and the counting of its sessions.
extension InfobipStateMachine {
    /// The most of a session that a dying process loses, in milliseconds; to persist each count would cost more.
    static let step: Int64 = 30_000

    /// Records that the app comes into use, or goes out of use.
    ///
    /// - Returns: The actions to take; the end of a session is persisted.
    mutating func use(_ isActive: Bool) -> [Action] {
        self.isActive = isActive
        guard isActive else { return [.save] }
        self.isReportDue = true
        // A user in front of the app is a reason to try again.
        self.tryAgain()
        return []
    }

    /// Counts further use.
    ///
    /// - Parameter milliseconds: The wall clock.
    /// - Returns: The actions to take; the start of a session is persisted, and its length in steps.
    mutating func count(milliseconds: Int64) -> [Action] {
        guard self.isActive, self.memory.registration != nil else { return [] }
        let before = self.memory.sessions.all.last?.start
        self.memory.sessions.tick(now: milliseconds)
        guard let last = self.memory.sessions.all.last, last.start != before || last.end >= self.keptUntil + Self.step
        else { return [] }
        self.keptUntil = last.end
        return [.save]
    }
}
