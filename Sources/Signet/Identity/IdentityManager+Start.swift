// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock

// The request at the start: `open` begins it, `identified()` returns its outcome.
extension IdentityManager {
    /// Submits the call at the start, if there is one.
    ///
    /// Called once, after the installation is registered.
    nonisolated func submitStart() {
        guard let startNumber, let home = self.home.target else { return }
        self.services.active.insert(self)
        let isAccepted = self.services.jobs.submit(in: .current) { await self.exchange(startNumber, home) }
        if !isAccepted {
            self.traffic.withLock { $0.start }?.resolve(.failed(.notRunning))
            self.services.active.remove(self)
        }
    }

    /// Identifies again if there is no user and no such request is in progress.
    ///
    /// - Parameter policy: The retry policy of the request; nil for one try.
    nonisolated func askAgain(_ policy: RetryPolicy?) {
        let promise = self.traffic.withLock { traffic -> Promise<IdentityOutcome>? in
            if let start = traffic.start, start.current == nil { return nil }
            let next = Promise<IdentityOutcome>()
            traffic.start = next
            return next
        }
        guard let promise, let home = self.home.target else { return }
        self.services.active.insert(self)
        // The job retains the installation until its request has been handed in.
        let isAccepted = self.services.jobs.submit(in: .current) {
            await self.beginStart(promise, policy)
            withExtendedLifetime(home) {}
        }
        if !isAccepted {
            promise.resolve(.failed(.notRunning))
            self.services.active.remove(self)
        }
    }

    private func beginStart(_ promise: Promise<IdentityOutcome>, _ policy: RetryPolicy?) {
        switch self.machine.begin(.startIfUnknown, mayWait: true, now: self.services.time.milliseconds) {
        case .finish(let outcome):
            promise.resolve(outcome)
            self.leaveIfAnswered()
        case .wait(let number):
            self.enlist(number, promise, policy)
        case .start(let number):
            self.enlist(number, promise, policy)
            self.submit(number)
        }
    }

    /// Waits for the outcome of the request at the start.
    ///
    /// Nil if there was none.
    func startOutcome() async -> IdentityOutcome? {
        guard let started = self.traffic.withLock({ $0.start }) else { return nil }
        if let outcome = started.current { return outcome }
        let services = self.services
        switch await services.lifecycle.readiness(within: services.requestTimeout, on: services.time) {
        case .ready: return await started.value() ?? .failed(.cancelled)
        case .notRunning: return started.current ?? .failed(.notRunning)
        case .cancelled: return started.current ?? .failed(.cancelled)
        }
    }
}
