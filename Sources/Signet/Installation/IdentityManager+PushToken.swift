// SPDX-License-Identifier: Apache-2.0

import SignetModel

// A changed push token, which Signet sends itself: again after each failure, when its pause is over.
extension IdentityManager {
    /// Sends a changed push token to the platform, unless a call that will do so is already in progress.
    func beginPushTokenCall() {
        guard let core = self.core, self.slot({ $0.needsPushTokenCall }) == true else { return }
        switch core.begin(.pushToken, mayWait: true) {
        case .start(let number):
            self.pushTokens.begin(number)
            self.active.insert(self)
            self.submit(number)
        case .wait(let number):
            self.pushTokens.begin(number)
        case .finish:
            break
        }
    }

    /// The same for an installation that is opened: not in the pause after a failure.
    func resumePushTokenCall() {
        if self.pushTokens.pause(at: self.context.time.uptime) == nil { self.beginPushTokenCall() }
    }

    /// Sends a changed push token, and waits for the answer.
    ///
    /// - Returns: The result of the visit.
    func visitPushToken() async -> DueFactsVisit {
        if let until = self.pushTokens.pause(at: self.context.time.uptime) { return .again(at: until) }
        if !self.pushTokens.isUnderWay { self.beginPushTokenCall() }
        // Nil: another replica, a login or an opt-out has made it unnecessary.
        guard let visit = self.pushTokens.join() else { return .done }
        switch await visit.value() {
        case .failed(let error): return .unwell(error)
        case .resolved, .modified, .searched, nil: return .done
        }
    }

    /// Takes the end of a call, if it is one for a push token, and repeats it after a failure.
    func endPushTokenCall(_ number: Int, _ outcome: IdentityOutcome) {
        let (now, jitter) = (self.context.time.uptime, self.context.configuration.jitter())
        guard self.pushTokens.end(number, outcome, now: now, jitter: jitter) == .repeatAfterPause, let core = self.core
        else { return }
        // The job retains the installation.
        let isAccepted = self.context.jobs.submit { await self.repeatPushTokenCall(of: core) }
        if !isAccepted { self.pushTokens.endPause() }
    }

    private func repeatPushTokenCall(of core: InstallationCore) async {
        let time = self.context.time
        while let until = self.pushTokens.pause(at: time.uptime) {
            do {
                try await time.sleep(for: until - time.uptime)
            } catch {
                // The runtime ends: the next process finds the token in the installation's record.
                break
            }
        }
        self.pushTokens.endPause()
        guard !Task.isCancelled else { return }
        self.beginPushTokenCall()
    }
}
