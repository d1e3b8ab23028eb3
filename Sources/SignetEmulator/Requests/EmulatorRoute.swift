// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The kind of a request, by which ``FaultInjector`` and ``Emulator/requestCounts()`` name it.
public enum EmulatorRoute: String, Sendable, Hashable, CaseIterable {
    /// Resolve a user (`POST /v1/identify`).
    case identify
    /// Resolve a user who signs in (`POST /v1/login`).
    case login
    /// Resolve a user after signing out (`POST /v1/logout`).
    case logout
    /// Look up a user without changes (`POST /v1/search`).
    case search
    /// Change the identities of a user (`POST /v1/{mpid}/modify`).
    case modify
    /// Copy the events of one user to another (`POST /v1/identity/{apiKey}/alias`).
    case alias
    /// Accept one batch of events (`POST /v2/events`).
    case events
    /// Accept several batches of events (`POST /v2/bulkevents`).
    case bulkEvents = "bulkevents"
    /// Accept one batch of events of a web page (`POST /v3/JS/{apiKey}/events`).
    case webEvents
    /// Copy the events of one user of a web page to another (`POST /v1/identity/{apiKey}/Alias`).
    case webAlias
    /// Return the configuration of the SDK for browsers (`GET /JS/v2/{apiKey}/config`).
    case webConfiguration
    /// Accept a report of events that a web page forwarded itself; nothing is kept (`POST /v1/JS/{apiKey}/Forwarding`).
    case forwarding
    /// Return the criteria of a project (`GET unknownuser/list`).
    case criteria = "unknownuser/list"
    /// Create an unknown user (`POST unknownuser/events/session`).
    case activation = "unknownuser/events/session"
    /// Record a user's consent (`POST unknownuser/consent`).
    case consent = "unknownuser/consent"
    /// Merge two users (`POST users/merge`).
    case mergeUsers = "users/merge"
    /// Accept a custom event (`POST events/track`).
    case trackEvent = "events/track"
    /// Accept a purchase (`POST commerce/trackPurchase`).
    case trackPurchase = "commerce/trackPurchase"
    /// Accept the contents of a cart (`POST commerce/updateCart`).
    case updateCart = "commerce/updateCart"
    /// Change the fields of a user (`POST users/update`).
    case updateUser = "users/update"
    /// Change the e-mail address of a user (`POST users/updateEmail`).
    case updateEmail = "users/updateEmail"
    /// Register a push token (`POST users/registerDeviceToken`).
    case registerDevice = "users/registerDeviceToken"
    /// Disable a push token (`POST users/disableDevice`).
    case disableDevice = "users/disableDevice"
    /// Return the remote configuration of clients (`GET mobile/getRemoteConfiguration`).
    case remoteConfiguration = "mobile/getRemoteConfiguration"
    /// Register an installation (`POST /mobile/1/appinstance`).
    case createInstallation
    /// Return an installation (`GET /mobile/1/appinstance/{id}`).
    case fetchInstallation
    /// Change an installation (`PATCH /mobile/1/appinstance/{id}`).
    case updateInstallation
    /// End a registration (`DELETE /mobile/1/appinstance/{id}`).
    case expireInstallation
    /// Return the person of an installation (`GET /mobile/1/appinstance/{id}/user`).
    case fetchPerson
    /// Change the person of an installation (`PATCH /mobile/1/appinstance/{id}/user`).
    case updatePerson
    /// Assign an installation to a person (`POST /mobile/1/appinstance/{id}/personalize`).
    case personalize
    /// Detach an installation from its person (`POST /mobile/1/appinstance/{id}/depersonalize`).
    case depersonalize
    /// Assign a lost installation to its person again (`POST /mobile/1/appinstance/{id}/repersonalize`).
    case repersonalize
    /// Accept custom events of a person (`POST /mobile/1/appinstance/{id}/user/events/custom`).
    case customEvents
    /// Accept reports of sessions (`POST /mobile/1/appinstance/{id}/user/events/session`).
    case sessionReports
    /// Return the base URL for later requests (`GET /mobile/1/baseurl`).
    case baseURL

    /// The routes of Infobip's API.
    static let infobip: Set<EmulatorRoute> = [
        .createInstallation, .fetchInstallation, .updateInstallation, .expireInstallation, .fetchPerson, .updatePerson,
        .personalize, .depersonalize, .repersonalize, .customEvents, .sessionReports, .baseURL,
    ]

    /// True for the routes of mParticle's SDK for browsers, which have the key in their path and no other credentials.
    var isWeb: Bool {
        switch self {
        case .webEvents, .webAlias, .webConfiguration, .forwarding: true
        default: false
        }
    }

    /// True for the routes of Infobip's API.
    var isInfobip: Bool {
        Self.infobip.contains(self)
    }

    /// True for exactly three calls, which accept a token in place of the application code.
    var takesToken: Bool {
        self == .personalize || self == .updatePerson || self == .fetchPerson
    }

    /// The names of the boolean query items of the route.
    var flags: [String] {
        switch self {
        case .createInstallation, .fetchInstallation, .updateInstallation: ["rt"]
        case .fetchPerson, .updatePerson: ["ri", "rt"]
        case .personalize: ["forceDepersonalize", "keepAsLead", "setDeviceAsPrimary"]
        case .customEvents: ["validate"]
        default: []
        }
    }

    /// Returns the route of a path of mParticle's SDK for browsers, without a prefix; nil for other paths.
    ///
    /// Source: `DefaultBaseUrls` and `CNAMEUrlPaths` in `src/constants.ts` of mParticle/mparticle-web-sdk 2.71.2.
    static func web(_ segments: ArraySlice<Substring>) -> EmulatorRoute? {
        guard (3...4).contains(segments.count) else { return nil }
        switch (segments.dropLast(2).joined(separator: "/"), segments.last) {
        case ("v3/JS", "events"): return .webEvents
        case ("v1/identity", "Alias"), ("identity", "Alias"): return .webAlias
        case ("JS/v2", "config"): return .webConfiguration
        case ("v1/JS", "Forwarding"), ("v2/JS", "Forwarding"): return .forwarding
        default: return nil
        }
    }

    /// Returns the route of a path of Infobip's API: the one with the request's method, else the first.
    static func infobip(_ segments: [Substring], method: TransportRequest.Method) -> EmulatorRoute? {
        guard segments.count > 2, segments[0] == "mobile", segments[1] == "1" else { return nil }
        if segments[2...] == ["baseurl"] {
            return .baseURL
        }
        guard segments[2] == "appinstance", segments.count == 3 || segments.count > 3 && !segments[3].isEmpty else {
            return nil
        }
        let routes: [EmulatorRoute] =
            switch segments.dropFirst(4).joined(separator: "/") {
            case "" where segments.count == 3: [.createInstallation]
            case "" where segments.count == 4: [.fetchInstallation, .updateInstallation, .expireInstallation]
            case "user": [.fetchPerson, .updatePerson]
            case "personalize": [.personalize]
            case "depersonalize": [.depersonalize]
            case "repersonalize": [.repersonalize]
            case "user/events/custom": [.customEvents]
            case "user/events/session": [.sessionReports]
            default: []
            }
        return routes.first { $0.method == method } ?? routes.first
    }

    /// True for the routes of Iterable's API; their raw values are its paths.
    var isIterable: Bool {
        self.rawValue.contains("/")
    }

    /// The only method that the path accepts.
    var method: TransportRequest.Method {
        switch self {
        case .webConfiguration, .criteria, .remoteConfiguration, .fetchInstallation, .fetchPerson, .baseURL: .get
        case .updateInstallation, .updatePerson: .patch
        case .expireInstallation: .delete
        default: .post
        }
    }

    /// True if a project with tokens requires one here (classification of endpoints in the vendor's clients).
    var needsToken: Bool {
        switch self {
        case .trackEvent, .trackPurchase, .updateCart, .updateUser, .updateEmail, .registerDevice: true
        default: false
        }
    }
}
