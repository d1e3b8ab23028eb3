// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

extension SignetRuntime {
    /// Makes everything that was accepted before this call survive a loss of power.
    ///
    /// It works without `run()` and takes as long as the disk takes; callers share flushes.
    ///
    /// - Throws: `diskFull`, `diskFailed`, `notRunning` after the end of the runtime.
    public func sync() async throws(SignetError) {
        guard self.context.lifecycle.report == nil else { throw .hasEnded }
        try self.context.emptyMemory()
        for service in self.managers.linked.all { await service.takeLoggedEvents() }
        try await self.context.disk.syncTogether()
    }

    /// Waits until the platform has answered for everything that was accepted before this call.
    ///
    /// - Parameter limit: The time limit.
    /// - Returns: A report of the events that could not be covered.
    /// - Throws: `uploadPaused`, immediately, while uploads pause or when a pause begins. `timedOut`, with the number
    ///   of remaining events in ``SignetError/eventsLeft``. `notRunning` without `run()` within the limit; `cancelled`;
    ///   `diskFull` and `diskFailed` while the journal cannot be read, or events are in memory that the disk does not
    ///   accept.
    @discardableResult
    public func upload(within limit: Duration = .seconds(30)) async throws(SignetError) -> SignetRuntime.UploadReport {
        let time = self.context.configuration.time
        let deadline = time.uptime + limit
        switch await self.context.lifecycle.readiness(within: limit, on: time) {
        case .ready: break
        case .notRunning: throw self.context.lifecycle.refusal
        case .cancelled: throw .cancelled
        }
        try self.context.emptyMemory()
        let goal = try await self.managers.events.aim()
        let progress = await withTimeLimit(deadline - time.uptime, on: time) {
            await goal.progress.value()
        }
        switch progress {
        case .reached:
            return SignetRuntime.UploadReport(eventsWithoutUser: await self.managers.events.eventsWithoutUser)
        case .paused:
            throw await self.managers.events.pause ?? .uploadPauseOver
        case .underWay:
            throw .hasEnded
        case nil:
            let left = await self.managers.events.abandon(goal)
            throw Task.isCancelled ? .cancelled : .notUploaded(within: limit, eventsLeft: left)
        }
    }

    /// Ends a pause of uploads: the oldest batch is sent immediately, and the oldest alias request whose events are
    /// settled.
    ///
    /// Call it after the key, the secret's rights or the network were fixed. It ends any pause, also one that the
    /// platform asked for (`Retry-After`). A request on the wire by then may still begin a pause, and so may the answer
    /// to the next one. <doc:Failures> has all pauses.
    public func resumeUploads() async {
        await self.context.dispatcher.endUploadPauses()
        await self.managers.events.resume()
        await self.managers.aliases.resume()
    }

    /// The dead letters, to be inspected, sent again or discarded.
    public var deadLetters: DeadLetterBatches {
        DeadLetterBatches(self.managers.events)
    }
}

extension SignetError {
    fileprivate static let uploadPauseOver = SignetError(
        .uploadPaused,
        "Uploads paused during this call. All events stay on disk, and the runtime tries again.",
        remedy: "`upload(within:)` throws the cause and `retryAfter` of a pause at its begin."
    )

    fileprivate static func notUploaded(within limit: Duration, eventsLeft: Int) -> SignetError {
        SignetError(
            .timedOut,
            "\(eventsLeft.of("event has", "events have")) no answer after \(limit). They stay on disk, and delivery continues.",
            remedy: "Call `upload(within:)` with a longer limit to wait for them.",
            eventsLeft: eventsLeft
        )
    }
}
