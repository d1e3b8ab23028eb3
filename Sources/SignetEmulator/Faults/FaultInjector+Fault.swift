//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetTransport

extension FaultInjector {
    /// One thing that goes wrong with one request.
    ///
    /// "Takes effect" means that the platform does what the request asks, whether or not the client learns of it.
    public enum Fault: Sendable {
        /// Waits on the emulator's clock, then goes on; cancelled while it waits, it does not take effect.
        case delay(Duration)
        /// Waits until the gate opens, then goes on; cancelled while it waits, it does not take effect.
        case held(EmulatorGate)
        /// Takes effect at once; the answer waits until the gate opens.
        case replyHeld(EmulatorGate)
        /// The platform refuses with this status, with `Retry-After` in whole seconds if given; no effect.
        case status(Int, retryAfter: Duration? = nil)
        /// The platform refuses with this status and says this, in the form of the interface; no effect.
        case refused(status: Int, code: String, message: String)
        /// This answer comes; no effect.
        case answer(TransportResponse)
        /// Takes effect; then the connection breaks: `notConnected`.
        case replyLost
        /// Nobody listens: `notConnected`; no effect.
        case connectionRefused
        /// Fails so; no effect.
        case failure(TransportError)
        /// No answer ever: waits until it is cancelled; no effect.
        case timeout
        /// Status 200, and this as the body; no effect.
        case garbage([UInt8])
        /// An answer that is longer than the request allows: `responseTooLarge`; no effect.
        case hugeAnswer
        /// Takes effect; of the answer's body only the first half comes.
        case truncated
    }
}
