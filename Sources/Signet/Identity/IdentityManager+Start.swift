//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetLock

// The request at the start: begun by `open`, told by `identified()`.
extension IdentityManager {
    /// Has the call at the start sent, if there is one.
    ///
    /// Called once, after the installation can be found.
    nonisolated func submitStart() {
        guard let startNumber, let home = self.home.target else { return }
        self.services.active.insert(self)
        let isAccepted = self.services.jobs.submit(in: .current) { await self.exchange(startNumber, home) }
        if !isAccepted {
            self.traffic.withLock { $0.start }?.resolve(.failed(.notRunning))
            self.services.active.remove(self)
        }
    }

    /// Asks again who it is, because nobody is known and nothing is under way that will tell.
    ///
    /// - Parameter policy: How often to try.
    nonisolated func askAgain(_ policy: RetryPolicy?) {
        let promise = self.traffic.withLock { traffic -> Promise<IdentityOutcome>? in
            if let start = traffic.start, start.current == nil { return nil }
            let next = Promise<IdentityOutcome>()
            traffic.start = next
            return next
        }
        guard let promise, let home = self.home.target else { return }
        self.services.active.insert(self)
        // The job keeps the installation in memory until its request has been handed in.
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

    /// How the request at the start ended; waits for it.
    ///
    /// Nil when none was asked for.
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
