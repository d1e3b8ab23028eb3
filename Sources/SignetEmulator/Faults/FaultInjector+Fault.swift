// SPDX-License-Identifier: Apache-2.0

public import SignetTransport

extension FaultInjector {
    /// A failure of one request.
    ///
    /// "Takes effect" means that the platform carries out the request, even if the client never receives the answer.
    public enum Fault: Sendable {
        /// Waits on the emulator's clock, then continues; takes no effect if cancelled during the wait.
        case delay(Duration)
        /// Waits until the gate opens, then continues; takes no effect if cancelled during the wait.
        case held(EmulatorGate)
        /// Takes effect at once; the answer waits until the gate opens.
        case replyHeld(EmulatorGate)
        /// The platform refuses with this status, with `Retry-After` in whole seconds if given; no effect.
        case status(Int, retryAfter: Duration? = nil)
        /// The platform refuses with this status, code and message, in the format of the interface; no effect.
        case refused(status: Int, code: String, message: String)
        /// The client receives this answer; no effect.
        case answer(TransportResponse)
        /// Takes effect; then the connection breaks with `notConnected`.
        case replyLost
        /// The connection is refused with `notConnected`; no effect.
        case connectionRefused
        /// The request fails with this error; no effect.
        case failure(TransportError)
        /// The answer never comes: the request waits until it is cancelled; no effect.
        case timeout
        /// Status 200 with this body; no effect.
        case garbage([UInt8])
        /// The answer is longer than the request allows: `responseTooLarge`; no effect.
        case hugeAnswer
        /// Takes effect; the client receives only the first half of the answer's body.
        case truncated
    }
}
