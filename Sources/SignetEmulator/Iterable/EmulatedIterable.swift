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

// A project's current state, for tests to inspect.
extension EmulatedIterable {
    /// Returns all users in the order of creation.
    public func users() -> [EmulatedIterableUser] {
        self.read { $0.directory.all.map(EmulatedIterableUser.init) }
    }

    /// Returns one user.
    ///
    /// - Parameter id: An email or user id of the user.
    /// - Returns: The user; nil when no user has this id.
    public func user(_ id: EmulatedIterableUserID) -> EmulatedIterableUser? {
        self.read { $0.directory[id].map(EmulatedIterableUser.init) }
    }

    /// Returns one user.
    ///
    /// - Parameter email: The address.
    /// - Returns: The user; nil when no user has it.
    public func user(email: String) -> EmulatedIterableUser? {
        self.user(.email(email))
    }

    /// Returns one user.
    ///
    /// - Parameter userID: The user id; for an unknown user, the UUID.
    /// - Returns: The user; nil when no user has it.
    public func user(userID: String) -> EmulatedIterableUser? {
        self.user(.userID(userID))
    }

    /// Returns the unknown users in the order of creation.
    public func unknownUsers() -> [EmulatedIterableUser] {
        self.users().filter(\.isUnknown)
    }

    /// Returns the events of one user, those of merged users included.
    ///
    /// - Parameter id: An email or user id of the user.
    /// - Returns: The events in the order of arrival; empty when no user has this id.
    public func events(of id: EmulatedIterableUserID) -> [EmulatedIterableEvent] {
        self.read { $0.directory[id]?.events ?? [] }
    }

    /// Returns the events of all users in the order of arrival.
    public func events() -> [EmulatedIterableEvent] {
        self.read { $0.directory.all.flatMap(\.events) }.sorted { $0.number < $1.number }
    }

    /// Returns the requests that created unknown users, repetitions included, in the order of arrival.
    public func activations() -> [EmulatedIterableActivation] {
        self.read { $0.activations.all }
    }

    /// Returns the log of consent in the order of arrival.
    public func consents() -> [EmulatedIterableConsent] {
        self.read { $0.consents.all }
    }

    /// Returns the completed merges in the order of arrival.
    public func merges() -> [EmulatedIterableMerge] {
        self.read { $0.merges.all }
    }

    /// Returns all requests that named the key of the project, refused ones included, in the order of arrival.
    ///
    /// Requests that faults kept from arriving, or answered in the platform's place, are not included.
    public func requests() -> [EmulatedIterableRequest] {
        self.read { $0.requests.all }
    }

    /// Returns the requests on one route.
    ///
    /// - Parameter route: The route of the requests.
    /// - Returns: The requests in the order of arrival.
    public func requests(on route: EmulatorRoute) -> [EmulatedIterableRequest] {
        self.requests().filter { $0.route == route }
    }
}
