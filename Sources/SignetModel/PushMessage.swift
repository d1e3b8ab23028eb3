// SPDX-License-Identifier: Apache-2.0

/// A push message that was sent, received or acted on (Events API v2, `push_message`).
public struct PushMessage: Sendable, Hashable {
    /// The stages of a push message.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The message was sent.
        case sent
        /// The message was received.
        case received
        /// The user chose an action of the message.
        case action
    }

    /// The state of the app when the message arrived.
    public enum ApplicationState: String, Sendable, Hashable, CaseIterable {
        /// Not running.
        case notRunning = "not_running"
        /// In the background.
        case background
        /// In the foreground.
        case foreground
    }

    /// The reaction of the app or its user.
    public enum Behavior: String, Sendable, Hashable, CaseIterable {
        /// The message reached the app.
        case received = "Received"
        /// The user opened the app through the message.
        case directOpen = "DirectOpen"
        /// The user has read the message.
        case read = "Read"
        /// The user opened the app some time after the message arrived.
        case influencedOpen = "InfluencedOpen"
        /// The message was shown.
        case displayed = "Displayed"
    }

    /// The stage of the message.
    public var kind: Kind
    /// The token of the push service.
    public var token: Secret
    /// The payload, as JSON text.
    public var payload: String
    /// The text that was shown.
    public var message: String?
    /// The network that delivered it.
    public var network: String?
    /// The state of the app when the message arrived.
    public var applicationState: ApplicationState?
    /// The chosen action, at most 100 characters.
    public var actionIdentifier: String?
    /// The reaction to the message; nil leaves it to the platform.
    ///
    /// The Events API has one word (`push_message_behavior`); the vendor's SDKs send a set of bits on another wire. If several
    /// apply, log an event for each.
    public var behavior: Behavior?

    /// Makes a message.
    public init(
        _ kind: Kind,
        token: Secret,
        payload: String,
        message: String? = nil,
        network: String? = nil,
        applicationState: ApplicationState? = nil,
        actionIdentifier: String? = nil,
        behavior: Behavior? = nil
    ) {
        self.kind = kind
        self.token = token
        self.payload = payload
        self.message = message
        self.network = network
        self.applicationState = applicationState
        self.actionIdentifier = actionIdentifier
        self.behavior = behavior
    }
}

extension PushMessage: CustomStringConvertible, CustomReflectable {
    /// The stage of the message, without its payload.
    public var description: String {
        "PushMessage(\(self.kind.rawValue))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["push": self.description])
    }
}
