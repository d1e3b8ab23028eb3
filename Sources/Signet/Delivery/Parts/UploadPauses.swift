// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Knows why uploads pause: keeps the last failure in memory, and the pause itself on disk.
///
/// The machine decides when a pause begins and ends.
struct UploadPauses: Sendable {
    private let context: RuntimeContext
    private let stored: StoredPause
    /// The error of the last failed try to send.
    private var lastFailure: SignetError?

    init(_ context: RuntimeContext) {
        self.context = context
        self.stored = StoredPause(context, key: StateKey.uploadPause, of: "uploads")
    }

    private var now: Duration {
        self.context.time.uptime
    }

    /// Notes the error of a failed try to send, to read or to write.
    mutating func note(_ error: SignetError) {
        self.lastFailure = error
        self.context.health.failed(error.code)
    }

    /// Reads the rest of an earlier process's pause; nil if there is none.
    func read() throws(SignetError) -> UploadPause? {
        try self.stored.read()
    }

    /// Continues the pause of an earlier process.
    func restore(_ pause: UploadPause?, into machine: inout UploadStateMachine) {
        guard let pause else { return }
        (machine.failures, machine.failuresOfAll) = (pause.failures, pause.failures)
        guard pause.length > .zero else { return }
        machine.pause(until: self.now + pause.length, pause.reason)
        self.report(machine)
    }

    /// The current pause, as an error for callers that want to upload; nil if there is none.
    func current(of machine: UploadStateMachine) -> SignetError? {
        if let until = machine.pausedUntil, until > self.now {
            return .uploadPaused(machine.pauseReason, remaining: until - self.now, because: self.lastFailure)
        }
        if let (until, reason) = machine.stuckPause(now: self.now) {
            return .uploadPaused(reason, remaining: until - self.now, because: self.lastFailure)
        }
        if let until = machine.stuck.first, until > self.now, !machine.stuck.hasDue {
            return .batchesRest(machine.stuck.count, remaining: until - self.now, because: self.lastFailure)
        }
        let count = machine.setAsideCount
        return count > 0 ? .rowsUnreadable(count, because: self.lastFailure) : nil
    }

    /// Writes a pause down, so that a restart does not end it.
    func store(_ machine: UploadStateMachine) {
        guard let until = machine.pausedUntil, let reason = machine.pauseReason else { return }
        self.stored.write(UploadPause(reason, until - self.now, failures: machine.failuresOfAll))
        self.report(machine)
    }

    /// Tells the pause to who asks for the health.
    private func report(_ machine: UploadStateMachine) {
        guard let until = machine.pausedUntil else { return }
        self.report(until: until)
    }

    /// Tells a pause of the batches that have failed before to who asks for the health: no other shows if uploads work.
    ///
    /// A restart ends it; what has failed alone is on disk.
    func reportStuck(_ machine: UploadStateMachine) {
        guard let (until, _) = machine.stuckPause(now: self.now) else { return }
        self.report(until: until)
    }

    private func report(until: Duration) {
        let code = self.lastFailure?.code ?? .uploadPaused
        self.context.health.uploadsPaused(until: until, httpStatus: self.lastFailure?.httpStatus, code)
    }

    /// Ends the stored pause, because the app says that its cause was mended.
    func resume() {
        self.context.health.uploadsResumed()
        self.stored.remove()
    }

    /// Ends the stored pause after the platform has accepted batches again.
    ///
    /// A pause that another answer has begun meanwhile continues, also after a restart.
    mutating func end(in machine: UploadStateMachine) {
        guard !machine.isPaused(now: self.now) else { return }
        self.lastFailure = nil
        self.context.health.uploadsResumed()
        self.stored.remove()
    }
}

extension SignetError {
    fileprivate static func rowsUnreadable(_ count: Int, because cause: SignetError?) -> SignetError {
        SignetError(
            .uploadPaused,
            "The rows of \(count) installations in the shared store cannot be read. Their events stay on disk, all others go on.",
            cause: cause
        )
    }

    fileprivate static func batchesRest(_ count: Int, remaining: Duration, because cause: SignetError?) -> SignetError {
        SignetError(
            .uploadPaused,
            "\(count) batches have failed alone. Each is tried again by itself; all other events go on.",
            remedy: Remedy.pause,
            httpStatus: cause?.httpStatus,
            retryAfter: remaining,
            cause: cause
        )
    }

    fileprivate static func uploadPaused(
        _ reason: UploadPause.Reason?,
        remaining: Duration,
        because cause: SignetError?
    ) -> SignetError {
        // These end when someone mends their cause, and the message says how.
        let isMended = reason == .unauthorized || reason == .misdirected
        let what =
            switch reason {
            case .unauthorized:
                "The platform does not accept the API key or the secret. Correct them and call resumeUploads()."
            case .misdirected:
                "The server is not the platform, or takes no compressed events. Correct this and call resumeUploads()."
            case .asked: "The platform asked for the pause."
            case .disk: "The disk cannot be written or read."
            case .store: "The shared store is not reached."
            case .failure, nil: "The last upload failed."
            }
        return SignetError(
            .uploadPaused,
            "Uploads pause for another \(remaining.milliseconds / 1000) s; all events stay on disk. \(what)",
            remedy: isMended ? nil : Remedy.pause,
            httpStatus: cause?.httpStatus,
            retryAfter: remaining,
            cause: cause
        )
    }
}
