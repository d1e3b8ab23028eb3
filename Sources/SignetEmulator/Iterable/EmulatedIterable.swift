// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A handle to one project of Iterable's API, to inspect and change it while the platform runs.
///
/// ```swift
/// let project = emulator.iterable
/// project.setCriteria(document)
/// // ... and after the visit
/// let user = project.user(email: "ann@example.com")
/// ```
///
/// All handles to a project share its state. It may be used from any task.
public struct EmulatedIterable: Sendable {
    /// The API key of the project.
    public let apiKey: String
    private let emulator: Emulator

    init(_ apiKey: String, of emulator: Emulator) {
        self.apiKey = apiKey
        self.emulator = emulator
    }

    /// The current settings.
    public var project: EmulatedIterableProject {
        self.read { $0.project }
    }

    /// Changes the settings for later requests.
    ///
    /// - Parameter body: Changes the settings, at once and under a lock; the key stays.
    public func configure(_ body: (inout EmulatedIterableProject) -> Void) {
        self.emulator.withIterable(self.apiKey) { (handler, _) in handler.change(body) }
    }

    /// Changes the criteria document that clients receive.
    ///
    /// - Parameter document: The text, which is sent as it is, valid or not.
    public func setCriteria(_ document: String) {
        self.configure { $0.criteria = document }
    }

    /// Signs a token as an app's server does.
    ///
    /// - Parameters:
    ///   - user: The user of the token.
    ///   - lifetime: The lifetime from the platform's current time, in whole seconds; the service accepts less than a year.
    /// - Returns: The token, signed with the current secret; a change of the secret invalidates it.
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

    /// Invalidates a token before its expiry.
    ///
    /// - Parameter token: The token as sent.
    public func invalidateToken(_ token: String) {
        self.emulator.withIterable(self.apiKey) { (handler, _) in handler.invalidate(token) }
    }

    func read<Result>(_ body: (IterableRequestHandler) -> Result) -> Result {
        self.emulator.withIterable(self.apiKey) { (handler, _) in body(handler) }
    }
}
