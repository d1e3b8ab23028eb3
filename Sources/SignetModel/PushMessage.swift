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

    /// Makes a message.
    public init(
        _ kind: Kind,
        token: Secret,
        payload: String,
        message: String? = nil,
        network: String? = nil,
        applicationState: ApplicationState? = nil,
        actionIdentifier: String? = nil
    ) {
        self.kind = kind
        self.token = token
        self.payload = payload
        self.message = message
        self.network = network
        self.applicationState = applicationState
        self.actionIdentifier = actionIdentifier
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
