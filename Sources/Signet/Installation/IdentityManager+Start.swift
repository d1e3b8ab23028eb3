// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

// The request at the start: `open` begins it, `initialIdentifyResult()` returns its outcome.
extension IdentityManager {
    /// Submits the call at the start, if there is one.
    ///
    /// Called once, after the installation is registered.
    nonisolated func submitStart() {
        guard let startNumber, let core = self.core else { return }
        self.active.insert(self)
        let isAccepted = self.context.jobs.submit(in: .current) { await self.exchange(startNumber, core) }
        if !isAccepted {
            self.traffic.withLock { $0.start }?.resolve(.failed(.notRunning))
            self.active.remove(self)
        }
    }

    /// Identifies again if no such request is in progress and no pause after a failure lasts.
    ///
    /// In a pause the outcome is the error of the failure.
    ///
    /// - Parameters:
    ///   - policy: The retry policy of the request; nil for one try.
    ///   - call: The request.
    nonisolated func askAgain(_ policy: RetryPolicy?, _ call: IdentityCall = .startIfUnknown(nil)) {
        let next = Promise<IdentityOutcome>()
        let pause = self.context.identifyPause(of: self.installation)
        if let pause { next.resolve(.failed(pause)) }
        let promise = self.traffic.withLock { traffic -> Promise<IdentityOutcome>? in
            if let start = traffic.start, start.current == nil { return nil }
            traffic.start = next
            return pause == nil ? next : nil
        }
        guard let promise, let core = self.core else { return }
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

    /// Identifies for the runtime, unless a user is known; joins such a request that is under way.
    ///
    /// One try: the runner repeats it after its own pause.
    func identifyUnknown(_ call: IdentityCall) async -> IdentityOutcome {
        guard let core = self.core else { return .failed(.closed) }
        let next = Promise<IdentityOutcome>()
        let promise = self.traffic.withLock { traffic -> Promise<IdentityOutcome> in
            if let start = traffic.start, start.current == nil { return start }
            traffic.start = next
            return next
        }
        if promise === next {
            self.active.insert(self)
            self.beginStart(call, next, nil, core)
        }
        return await promise.value() ?? .failed(.cancelled)
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

    /// Begins or ends the pause of automatic identifies.
    func noteStart(_ outcome: IdentityOutcome) {
        let (now, jitter) = (self.context.time.uptime, self.context.configuration.jitter())
        self.context.identifyPauses.withLock { $0.take(outcome, of: self.installation, now: now, jitter: jitter) }
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

extension RuntimeContext {
    /// The error of an automatic identify during the pause after a failure; nil if there is no pause.
    func identifyPause(of id: InstallationID) -> SignetError? {
        let now = self.time.uptime
        return self.identifyPauses.withLock { $0.error(of: id, now: now) }
    }
}
