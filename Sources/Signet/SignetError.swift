//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// Why a call of the runtime failed, and what to do about it.
public struct SignetError: Error, Sendable {
    /// What kind of failure.
    public let code: Code
    /// What happened and what to do, without keys, identities or attribute values.
    public let message: String
    /// The status of the platform's answer, when there was one.
    public let httpStatus: Int?
    /// How long the platform asked to wait before the next try.
    public let retryAfter: Duration?
    /// What the platform said was wrong (`errors[]` of its answer).
    public let errors: [PlatformError]
    /// How many events had no answer when a flush ran out of time.
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
    /// The code, the message and the platform's codes.
    ///
    /// What the platform wrote beside them may name people; it stays in ``errors``.
    public var description: String {
        let status = self.httpStatus.map { " (HTTP \($0))" } ?? ""
        let said = self.errors.isEmpty ? "" : " [\(self.errors.map(\.code).joined(separator: ", "))]"
        return "\(self.code)\(status): \(self.message)\(said)"
    }
}
