// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetModel
import SignetWire

// The calls of the app.
extension LinkedServiceDriver where Adapter == InfobipAdapter {
    private nonisolated var services: InfobipServices { self.adapter.services }

    /// Performs a call, and waits for its result.
    func perform(_ call: InfobipCall) async throws(SignetError) -> InfobipSaveResult {
        let now = self.services.context.time.uptime
        switch try self.call({ $0.begin(call, now: now) }) {
        case .ended(let result):
            return try result.get()
        case .waits(let ticket):
            let promise = Promise<Result<InfobipSaveResult, SignetError>>()
            self.state.promises[ticket] = promise
            do throws(SignetError) {
                try await self.awaitRun()
            } catch {
                // No run sends it; kept changes stay for the next run of the runtime.
                self.state.promises[ticket] = nil
                self.adjust { _ = $0.end([ticket], .failure(error)) }
                guard error.code == .notRunning, call.isKept else { throw error }
                return .pending
            }
            // The result may have come in the same instant; then the caller gets it.
            guard let result = await promise.value() ?? promise.current else {
                // Kept changes are sent all the same, and the answer to a request on the wire is taken. Nothing else is sent for
                // a caller who has left.
                self.state.promises[ticket] = nil
                self.adjust { _ = $0.end([ticket], .failure(.cancelled)) }
                throw .cancelled
            }
            return try result.get()
        }
    }

    /// Keeps the changes of a call; they are sent as soon as possible, without a further report.
    ///
    /// - Returns: `done` if there is nothing to send.
    func keep(_ call: InfobipCall) async throws(SignetError) -> InfobipSaveResult {
        let now = self.services.context.time.uptime
        let beginning = try self.call { machine in
            let (beginning, actions) = machine.begin(call, now: now)
            if case .waits(let ticket) = beginning { _ = machine.end([ticket], .success(.pending)) }
            return (beginning, actions)
        }
        switch beginning {
        case .ended(let result): return try result.get()
        case .waits: return .pending
        }
    }

    /// Waits until the runtime runs.
    func awaitRun() async throws(SignetError) {
        try await self.services.context.awaitRun(within: self.services.configuration.requestTimeout)
    }

    /// Sets another push token, or none.
    func setPushToken(_ token: InfobipPushToken?, isRestored: Bool) async throws(SignetError) {
        try self.call { ((), $0.setPushToken(token, isRestored: isRestored)) }
        let hash = self.services.requests.systemHash(self.machine.memory.pushService)
        self.adjust { $0.systemHash = hash }
        self.work()
    }

    /// Ends a former registration.
    func expire(_ registration: String) async throws(SignetError) {
        try self.call { ((), $0.expire(registration)) }
    }

    /// Keeps an event until the service has it.
    func queue(_ element: [UInt8]) async throws(SignetError) {
        let now = self.services.context.time.uptime
        try self.call { ((), $0.queue(element, now: now)) }
    }

    /// Retries pending work.
    func resume() async {
        self.adjust { $0.tryAgain() }
        self.work()
    }

    /// Follows an opt-out of the installation.
    func optOut() async throws(SignetError) {
        try self.decide { ((), $0.optOut()) }
    }

    /// Forgets everything, on disk too.
    func forget() async throws(SignetError) {
        try self.decide { ((), $0.forget()) }
        try self.adapter.store.removeAll()
    }

    /// Forgets the data left of the outgoing person, on disk too.
    func forgetLeft() async throws(SignetError) {
        // A login since then makes the previous person the outgoing one.
        try self.call { ((), $0.forgetLeft()) }
        try self.adapter.store.removeStrays(besides: self.machine.memory.events)
    }

    // MARK: - Use

    /// Records the app's activity.
    func setActive(_ isActive: Bool) async {
        self.adapter.use.withLock { $0 = isActive }
        self.followUse()
    }

    /// Applies the latest reported activity of the app.
    func followUse() {
        let isActive = self.adapter.use.withLock { $0 }
        guard self.machine.isActive != isActive else { return }
        self.state.activation += 1
        self.count { $0.use(isActive) }
        guard isActive else { return }
        self.tick()
        self.work()
        let activation = self.state.activation
        self.services.context.jobs.submit { await self.count(activation) }
    }

    private func count(_ activation: Int) async {
        while self.state.activation == activation, !Task.isCancelled, !self.isRetired {
            // Cancelled: the runtime ends.
            do {
                try await self.services.context.time.sleep(for: .milliseconds(InfobipSessions.period))
            } catch {
                return
            }
            guard self.state.activation == activation else { return }
            self.tick()
        }
    }

    private func tick() {
        do throws(SignetError) {
            guard try !self.adapter.isOptedOut() else { return }
        } catch {
            // Not counted: whether it may be is unknown.
            return
        }
        let now = self.services.context.time.milliseconds
        self.count { $0.count(milliseconds: now) }
        self.work()
    }

    /// Counts use; the disk gets it in steps.
    private func count(_ body: (inout InfobipStateMachine) -> [InfobipStateMachine.Action]) {
        for case .save in self.adjust(body) { self.adapter.saveNow(self) }
    }
}

extension InfobipCall {
    /// True if the call is kept until it is done.
    fileprivate var isKept: Bool {
        switch self {
        case .saveUser, .saveInstallation, .depersonalize: true
        default: false
        }
    }
}
