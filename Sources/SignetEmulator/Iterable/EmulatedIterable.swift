//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// One project of Iterable's API, to be looked at and changed while the platform runs.
///
/// ```swift
/// let project = emulator.visitors
/// project.setCriteria(document)
/// // ... and after the visit
/// let user = project.user(email: "ann@example.com")
/// ```
///
/// It is a handle; all handles of a project show the same. It may be used from any task.
public struct EmulatedIterable: Sendable {
    /// The API key of the project.
    public let apiKey: String
    private let emulator: Emulator

    init(_ apiKey: String, of emulator: Emulator) {
        self.apiKey = apiKey
        self.emulator = emulator
    }

    /// The rules of now.
    public var project: EmulatedIterableProject {
        self.read { $0.project }
    }

    /// Changes the rules; requests that come later meet them.
    ///
    /// - Parameter body: Changes them, at once and under a lock; the key stays.
    public func configure(_ body: (inout EmulatedIterableProject) -> Void) {
        self.emulator.withIterable(self.apiKey) { (handler, _) in handler.change(body) }
    }

    /// Changes the document that clients get.
    ///
    /// - Parameter document: Given out word for word, be it sense or not.
    public func setCriteria(_ document: String) {
        self.configure { $0.criteria = document }
    }

    /// Signs a token as the server of an app does.
    ///
    /// - Parameters:
    ///   - user: Whom it is for.
    ///   - lifetime: From the platform's time of now; the service takes less than a year. Whole seconds.
    /// - Returns: The token, signed with the secret of now: after a change of it, the token is invalid.
    public func signToken(for user: EmulatedIterableUserID, lifetime: Duration = .seconds(3600)) -> String {
        self.emulator.withIterable(self.apiKey) { (handler, now) in
            let issued = now / 1000
            let expiry = issued.addingReportingOverflow(lifetime.components.seconds)
            var claims: JSONObject = [
                "iat": .number(JSONNumber(issued)),
                "exp": .number(JSONNumber(expiry.overflow ? .max : expiry.partialValue)),
            ]
            switch user {
            case .email(let email): claims["email"] = .string(email)
            case .userID(let userID): claims["userId"] = .string(userID)
            }
            return IterableToken.sign(.object(claims), secret: handler.project.secret)
        }
    }

    /// Refuses a token from now on, though its time is not over.
    ///
    /// - Parameter token: As it was sent.
    public func invalidateToken(_ token: String) {
        self.emulator.withIterable(self.apiKey) { (handler, _) in handler.invalidate(token) }
    }

    func read<Result>(_ body: (IterableRequestHandler) -> Result) -> Result {
        self.emulator.withIterable(self.apiKey) { (handler, _) in body(handler) }
    }
}
