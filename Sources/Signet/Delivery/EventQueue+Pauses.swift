// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension EventQueue {
    /// The current pause, as an error for callers that want to upload; nil if there is none.
    var pause: SignetError? {
        guard let until = self.machine.pausedUntil, until > self.now else { return nil }
        return .uploadPaused(self.machine.pauseReason, remaining: until - self.now, because: self.lastFailure)
    }

    /// Ends a pause that the platform did not ask for: the oldest batch is tried at once.
    func resume() {
        self.machine.resume()
        self.services.ingress.wakeup.signal()
    }

    /// Continues the pause of an earlier process.
    func restorePause(_ bytes: [UInt8]) {
        self.isPauseStored = true
        guard let pause = UploadPause(bytes, now: self.services.time.milliseconds) else { return }
        self.machine.failures = pause.failures
        if pause.length > .zero { self.machine.pause(until: self.now + pause.length, pause.reason) }
    }

    /// Writes a pause down, so that a restart does not end it.
    func storePause() {
        guard let until = self.machine.pausedUntil, let reason = self.machine.pauseReason else { return }
        let pause = UploadPause(reason, until - self.now, failures: self.machine.failures)
        do throws(SignetError) {
            try self.services.store.put(
                pause.encoded(now: self.services.time.milliseconds),
                for: StateKey.uploadPause
            )
            self.isPauseStored = true
        } catch {
            self.services.reportDamage("An upload pause could not be written to disk: \(error.message)")
        }
    }

    /// Ends the stored pause after the platform has accepted batches again.
    ///
    /// A pause that another answer has begun meanwhile continues, also after a restart.
    func forgetPause() {
        guard !self.machine.isPaused(now: self.now) else { return }
        self.lastFailure = nil
        guard self.isPauseStored else { return }
        do throws(SignetError) {
            try self.services.store.remove(StateKey.uploadPause)
            self.isPauseStored = false
        } catch {
            self.services.reportDamage("The end of an upload pause could not be written to disk: \(error.message)")
        }
    }
}

extension SignetError {
    fileprivate static func uploadPaused(
        _ reason: UploadPause.Reason?,
        remaining: Duration,
        because cause: SignetError?
    ) -> SignetError {
        let what =
            switch reason {
            case .unauthorized:
                "The platform does not accept the API key or the secret. Correct them and call resumeUploads()."
            case .misdirected:
                "The server is not the platform, or takes no compressed events. Correct this and call resumeUploads()."
            case .asked: "The platform asked for the pause."
            case .disk: "The disk cannot be written or read."
            case .failure, nil: "The last upload failed."
            }
        return SignetError(
            .uploadPaused,
            "Uploads pause for another \(remaining.milliseconds / 1000) s; all events stay on disk. \(what)",
            httpStatus: cause?.httpStatus,
            retryAfter: remaining,
            cause: cause
        )
    }
}
