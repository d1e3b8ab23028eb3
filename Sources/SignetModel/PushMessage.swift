//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A push message that was sent, received or acted on (Events API v2, `push_message`).
public struct PushMessage: Sendable, Hashable {
    /// What became of it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// On its way.
        case sent
        /// Arrived.
        case received
        /// Somebody chose an action of it.
        case action
    }

    /// Where the app was when it arrived.
    public enum ApplicationState: String, Sendable, Hashable, CaseIterable {
        /// Not running.
        case notRunning = "not_running"
        /// In the background.
        case background
        /// In the foreground.
        case foreground
    }

    /// What the app or its user did with it.
    public enum Behavior: String, Sendable, Hashable, CaseIterable {
        /// It reached the app.
        case received = "Received"
        /// Its user opened the app by it.
        case directOpen = "DirectOpen"
        /// Its user has read it.
        case read = "Read"
        /// Its user opened the app some time after it came.
        case influencedOpen = "InfluencedOpen"
        /// It was shown.
        case displayed = "Displayed"
    }

    /// What became of it.
    public var kind: Kind
    /// The token of the push service.
    public var token: Secret
    /// What it carried, as JSON text.
    public var payload: String
    /// What was shown.
    public var message: String?
    /// The network it came by.
    public var network: String?
    /// Where the app was.
    public var applicationState: ApplicationState?
    /// The chosen action, at most 100 characters.
    public var actionIdentifier: String?
    /// What was done with it; nil leaves it to the platform.
    ///
    /// One word, as the Events API has it (`push_message_behavior`); the vendor's SDKs send a set of bits on another wire. Log
    /// an event for each where several hold.
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
    /// What became of it, without what it carried.
    public var description: String {
        "PushMessage(\(self.kind.rawValue))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["push": self.description])
    }
}
