// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// An error of a call of the runtime, with its cause and the remedy.
public struct SignetError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The failure and the remedy, without keys, identities or attribute values.
    public let message: String
    /// The status of the platform's answer, when there was one.
    public let httpStatus: Int?
    /// The wait before the next try that the platform asked for.
    public let retryAfter: Duration?
    /// The errors that the platform reported (`errors[]` of its answer).
    public let errors: [PlatformError]
    /// The number of events without an answer at the time limit of an upload.
    public let eventsLeft: Int?
    /// The error underneath, when there is one.
    public let cause: (any Error)?

    /// Makes an error.
    package init(
        _ code: Code,
        _ message: String,
        httpStatus: Int? = nil,
        retryAfter: Duration? = nil,
        errors: [PlatformError] = [],
        eventsLeft: Int? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.httpStatus = httpStatus
        self.retryAfter = retryAfter
        self.errors = errors
        self.eventsLeft = eventsLeft
        self.cause = cause
    }
}

extension SignetError: CustomStringConvertible {
    /// The code, the message, the platform's codes, and the setting or call that mends it.
    ///
    /// The platform's texts may name people; they stay in ``errors``.
    public var description: String {
        let status = self.httpStatus.map { " (HTTP \($0))" } ?? ""
        let said = self.errors.isEmpty ? "" : " [\(self.errors.map(\.code).joined(separator: ", "))]"
        // A message that names a setting or call knows better.
        let remedy = self.message.contains("`") ? "" : self.remedy.map { " \($0)" } ?? ""
        return "\(self.code)\(status): \(self.message)\(said)\(remedy)"
    }
}

extension SignetError {
    package static let cancelled = SignetError(
        .cancelled,
        "The calling task was cancelled. A request that was already sent still takes effect; see `userChanges()`."
    )
}
