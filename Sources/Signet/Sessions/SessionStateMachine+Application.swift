// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

extension SessionStateMachine {
    /// Records the launch of the app.
    ///
    /// - Returns: The action that reports it.
    func launch() -> [Action] {
        [.tell(.initialized)]
    }

    /// Moves the app to the background, from where the session can time out.
    ///
    /// After repeated calls, the timeout counts from the first one, or from the last event since.
    mutating func enterBackground(at now: SessionTimestamp, _ timeout: Duration) -> [Action] {
        let actions = self.timeOut(at: now, timeout)
        guard self.appState != .background else { return actions }
        self.goToBackground(at: now)
        return actions + [.tell(.background)]
    }

    /// Moves the app to the foreground: the session continues unless it has timed out; then the next one begins.
    mutating func enterForeground(at now: SessionTimestamp, _ timeout: Duration, newID: () -> UUID) -> [Action] {
        var actions = self.timeOut(at: now, timeout)
        let isUpdate = self.appState != .foreground
        self.appState = .foreground
        if var active = self.active {
            if let since = active.extras.backgroundSince {
                active.extras.background += max(.zero, now.uptime - since)
                active.extras.backgroundSince = nil
            }
            active.last = now
            self.active = active
        } else if self.rules.tracking == .automatic {
            actions += self.begin(at: now, newID: newID)
        }
        return isUpdate ? actions + [.tell(.foreground)] : actions
    }

    /// Ends the app in order: it stays in the background, and its session can time out.
    mutating func exit(at now: SessionTimestamp, _ timeout: Duration) -> [Action] {
        let actions = self.timeOut(at: now, timeout)
        if self.appState != .background { self.goToBackground(at: now) }
        return actions + [.tell(.exit)]
    }

    private mutating func goToBackground(at now: SessionTimestamp) {
        self.appState = .background
        guard var active = self.active else { return }
        active.last = now
        if self.rules.mode == .application {
            active.extras.backgroundSince = now.uptime
            active.extras.interruptions += 1
        }
        self.active = active
    }
}
