// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock

// The request at the start: `open` begins it, `initialIdentifyResult()` returns its outcome.
extension IdentityManager {
    /// Submits the call at the start, if there is one.
    ///
    /// Called once, after the installation is registered.
    nonisolated func submitStart() {
        guard let startNumber, let core = self.core.target else { return }
        self.active.insert(self)
        let isAccepted = self.context.jobs.submit(in: .current) { await self.exchange(startNumber, core) }
        if !isAccepted {
            self.traffic.withLock { $0.start }?.resolve(.failed(.notRunning))
            self.active.remove(self)
        }
    }

    /// Identifies again if there is no user and no such request is in progress.
    ///
    /// - Parameters:
    ///   - policy: The retry policy of the request; nil for one try.
    ///   - call: The request.
    nonisolated func askAgain(_ policy: RetryPolicy?, _ call: IdentityCall = .startIfUnknown) {
        let promise = self.traffic.withLock { traffic -> Promise<IdentityOutcome>? in
            if let start = traffic.start, start.current == nil { return nil }
            let next = Promise<IdentityOutcome>()
            traffic.start = next
            return next
        }
        guard let promise, let core = self.core.target else { return }
        self.active.insert(self)
        // The job retains the installation until its request has been handed in.
        let isAccepted = self.context.jobs.submit(in: .current) {
            await self.beginStart(call, promise, policy, core)
        }
        if !isAccepted {
            promise.resolve(.failed(.notRunning))
            self.active.remove(self)
        }
    }

    private func beginStart(
        _ call: IdentityCall,
        _ promise: Promise<IdentityOutcome>,
        _ policy: RetryPolicy?,
        _ core: InstallationCore
    ) {
        switch core.begin(call, mayWait: true) {
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
        let context = self.context
        switch await context.lifecycle.readiness(
            within: context.configuration.identity.requestTimeout,
            on: context.time
        ) {
        case .ready: return await started.value() ?? .failed(.cancelled)
        case .notRunning: return started.current ?? .failed(.notRunning)
        case .cancelled: return started.current ?? .failed(.cancelled)
        }
    }
}
