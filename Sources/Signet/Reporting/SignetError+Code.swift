// SPDX-License-Identifier: Apache-2.0

extension SignetError {
    /// The kinds of failure.
    ///
    /// More may come; always have a default case.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        /// Makes the code of this name; modules of services add their own.
        public init(_ name: String) {
            self.name = name
        }

        /// An argument is outside its documented limits; nothing was done.
        public static let invalidArgument = Code("invalidArgument")
        /// The configuration cannot work; nothing was started.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The runtime was not given the service that the call needs; the message says what to add.
        public static let serviceNotConfigured = Code("serviceNotConfigured")
        /// Another identity call of this installation is under way; nothing was sent.
        public static let requestInProgress = Code("requestInProgress")
        /// The installation has opted out; nothing was done.
        public static let optedOut = Code("optedOut")
        /// The call needs a user, and the installation has none yet, or does not know the one given.
        public static let noUser = Code("noUser")
        /// The call needs a session and there is none.
        public static let noSession = Code("noSession")
        /// This handle's installation was closed; open it again.
        public static let closed = Code("closed")
        /// `run()` is not active, or the runtime has ended; nothing was sent.
        public static let notRunning = Code("notRunning")
        /// `run()` was called twice.
        public static let alreadyRunning = Code("alreadyRunning")
        /// The calling task was cancelled; a request that was already sent still takes effect.
        public static let cancelled = Code("cancelled")
        /// No answer in time; the request may have taken effect.
        public static let timedOut = Code("timedOut")
        /// The request could not begin in time, mostly because many others were under way; nothing was sent.
        public static let notSent = Code("notSent")
        /// No connection to the platform.
        public static let notConnected = Code("notConnected")
        /// No trusted TLS connection to the platform.
        public static let secureConnectionFailed = Code("secureConnectionFailed")
        /// The transport failed in another way.
        public static let transportFailed = Code("transportFailed")
        /// The platform does not accept the key, the signature, or the use of this feature (401, 403).
        public static let unauthorized = Code("unauthorized")
        /// The platform received too many requests (429); see ``SignetError/retryAfter``.
        ///
        /// After a 429 or 503 with `Retry-After`, identity calls of that endpoint on that installation throw
        /// `throttled` immediately until then, and nothing is sent (``SignetError/httpStatus`` is nil). If three
        /// installations got one within 10 s, and a quarter of the calls, identity calls of all installations do.
        public static let throttled = Code("throttled")
        /// The platform rejected the request for good (other 4xx); see ``SignetError/errors``.
        ///
        /// Without an error that has a code, something in between may have answered.
        public static let rejected = Code("rejected")
        /// The platform failed (5xx), or the request came too slowly or too early (408, 425); try again later.
        public static let serverFailure = Code("serverFailure")
        /// The response is not an answer of the platform: a redirect, a web page, a body too long or malformed.
        public static let unexpectedAnswer = Code("unexpectedAnswer")
        /// Uploads are paused by the platform, or because it cannot be reached; see ``SignetError/retryAfter``.
        ///
        /// <doc:Failures> lists the causes of each pause, and its end.
        public static let uploadPaused = Code("uploadPaused")
        /// The disk limit for events is reached; the event was not accepted.
        ///
        /// Also thrown if 1000 removals of attributes of one user wait for a batch; then the removal was not accepted.
        /// The same for an attribute if the users of the installation have 64 KB, and none can leave it; see ``Installation/allUsers``.
        public static let limitReached = Code("limitReached")
        /// There is no token for a request to a service, and none will be requested now; nothing was sent.
        public static let tokenUnavailable = Code("tokenUnavailable")
        /// The disk is full; the call was not accepted.
        public static let diskFull = Code("diskFull")
        /// The disk failed; the call was not accepted.
        ///
        /// Calls that write may also throw ``directoryUnusable``, if the folder was removed or made inaccessible in the
        /// meantime.
        public static let diskFailed = Code("diskFailed")
        /// Another runtime, here or in another process, uses the directory; with a shared store also a copy of it.
        public static let directoryInUse = Code("directoryInUse")
        /// The directory cannot be used: not a folder, a symbolic link, not writable, or world-writable.
        ///
        /// A missing folder is created (0700); an existing one keeps its mode.
        public static let directoryUnusable = Code("directoryUnusable")
        /// The directory was written by a newer version; it was left untouched.
        public static let newerFormat = Code("newerFormat")
        /// The directory belongs to a workspace with another key.
        public static let workspaceMismatch = Code("workspaceMismatch")
        /// The store that replicas share was not reached; nothing was changed.
        public static let storeUnreachable = Code("storeUnreachable")
        /// Too many calls wait for the shared store, or other replicas were first eight times; nothing was changed.
        public static let storeBusy = Code("storeBusy")
        /// The answer of the shared store was lost; the change may have happened.
        ///
        /// Also thrown if one of several tries may have been carried out, or a part of a call was. An erasure stands, and is finished later.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// Another replica has taken over the identity call; the answer was not applied.
        public static let superseded = Code("superseded")
        /// The shared store cannot be used; the message says why.
        public static let storeFailed = Code("storeFailed")

        /// The name of the code.
        public var description: String {
            self.name
        }
    }
}
