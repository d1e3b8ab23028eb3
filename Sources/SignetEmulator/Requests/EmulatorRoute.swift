// SPDX-License-Identifier: Apache-2.0

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
}
