// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// An error of a call of the runtime, with its cause and the remedy.
///
/// In a closure write `do throws(SignetError) { … } catch { … }`: Swift infers the type of an error in functions alone, so that a
/// plain `catch` of a closure has `any Error`. At the top level of `main.swift`, `catch let error as SignetError` crashes the
/// compiler of Swift 6.3.1 (`Found outside of lifetime use`); `do throws(SignetError)` compiles there, too.
public struct SignetError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The failure and the remedy, without keys, identities or attribute values.
    public let message: String
    /// The status of the platform's answer; nil if there was none, or if a success had a body that could not be read.
    public let httpStatus: Int?
    /// The wait before the next try that the platform asked for.
    public let retryAfter: Duration?
    /// The errors that the platform reported (`errors[]` of its answer).
    public let errors: [PlatformError]
    /// The number of events without an answer at the time limit of an upload.
    public let eventsLeft: Int?
    /// The error underneath, when there is one.
    public let cause: (any Error)?
    /// The setting or the call that mends this error, beside what ``message`` says; nil if nothing more helps.
    ///
    /// ``description`` has it, unless the message names a setting or a call itself.
    public let remedy: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The failure in sentences, with the remedy if only this throw has it.
    ///   - remedy: The setting or the call that mends this failure, as a sentence. Nil takes that of the code, which few codes have: those
    ///     whose throws all have the same.
    ///   - httpStatus: The status of the platform's answer.
    ///   - retryAfter: The wait before the next try.
    ///   - errors: The errors that the platform reported.
    ///   - eventsLeft: The number of events without an answer.
    ///   - cause: The error underneath.
    package init(
        _ code: Code,
        _ message: String,
        remedy: String? = nil,
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
        self.remedy = remedy ?? Code.remedies[code]
    }

    /// The same error with a remedy of the call that throws it, unless it has one.
    ///
    /// - Parameter remedy: The remedy, as a sentence; nil for none.
    /// - Returns: The error.
    package func naming(_ remedy: String?) -> SignetError {
        guard self.remedy == nil, let remedy else { return self }
        return SignetError(
            self.code,
            self.message,
            remedy: remedy,
            httpStatus: self.httpStatus,
            retryAfter: self.retryAfter,
            errors: self.errors,
            eventsLeft: self.eventsLeft,
            cause: self.cause
        )
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
        return "\(self.code)\(status): \(self.message.asSentence)\(said)\(remedy)"
    }
}

extension String {
    /// The text with a full stop, if it ends without a mark: another sentence may follow.
    package var asSentence: String {
        guard let last = self.last, !".!?".contains(last) else { return self }
        return self + "."
    }
}

extension SignetError {
    package static let cancelled = SignetError(
        .cancelled,
        "The calling task was cancelled. A request that was already sent still takes effect; see `userChanges()`."
    )
}
