//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

// The app is in use, and its sessions are counted.
extension InfobipStateMachine {
    /// How much of a session is lost at most when a process dies: to write the memory down at every count would cost more.
    static let step: Int64 = 30_000

    /// The app comes into use, or is not used any more.
    ///
    /// - Returns: What to do: the end of a session is written down.
    mutating func use(_ isActive: Bool) -> [Action] {
        self.isActive = isActive
        guard isActive else { return [.save] }
        self.isReportDue = true
        // Whoever is in front of the app has it tried again.
        self.tryAgain()
        return []
    }

    /// It is in use still.
    ///
    /// - Parameter milliseconds: The wall clock.
    /// - Returns: What to do: that a session began is written down, and how long it is by steps.
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
