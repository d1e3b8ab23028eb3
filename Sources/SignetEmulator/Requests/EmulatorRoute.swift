//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a request asks of the platform; the name of it in ``FaultInjector`` and in ``Emulator/requestCounts()``.
public enum EmulatorRoute: String, Sendable, Hashable, CaseIterable {
    /// Resolve a user (`POST /v1/identify`).
    case identify
    /// Resolve a user who signs in (`POST /v1/login`).
    case login
    /// Resolve a user after signing out (`POST /v1/logout`).
    case logout
    /// Look a user up and change nothing (`POST /v1/search`).
    case search
    /// Change the identities of a user (`POST /v1/{mpid}/modify`).
    case modify
    /// Give the events of one user to another (`POST /v1/identity/{apiKey}/alias`).
    case alias
    /// Take one batch of events (`POST /v2/events`).
    case events
    /// Take several batches of events (`POST /v2/bulkevents`).
    case bulkEvents = "bulkevents"
    /// Hand out the criteria of a project (`GET unknownuser/list`).
    case criteria = "unknownuser/list"
    /// Make an unknown user (`POST unknownuser/events/session`).
    case activation = "unknownuser/events/session"
    /// Note that somebody agreed (`POST unknownuser/consent`).
    case consent = "unknownuser/consent"
    /// Make one user of two (`POST users/merge`).
    case mergeUsers = "users/merge"
    /// Take a custom event (`POST events/track`).
    case trackEvent = "events/track"
    /// Take a purchase (`POST commerce/trackPurchase`).
    case trackPurchase = "commerce/trackPurchase"
    /// Take the contents of a cart (`POST commerce/updateCart`).
    case updateCart = "commerce/updateCart"
    /// Change the fields of a user (`POST users/update`).
    case updateUser = "users/update"
    /// Change the e-mail address of a user (`POST users/updateEmail`).
    case updateEmail = "users/updateEmail"
    /// Note a push token (`POST users/registerDeviceToken`).
    case registerDevice = "users/registerDeviceToken"
    /// Stop sending to a push token (`POST users/disableDevice`).
    case disableDevice = "users/disableDevice"
    /// Hand out what a client is told from afar (`GET mobile/getRemoteConfiguration`).
    case remoteConfiguration = "mobile/getRemoteConfiguration"
    /// Register an installation (`POST /mobile/1/appinstance`).
    case createInstallation
    /// Hand out an installation (`GET /mobile/1/appinstance/{id}`).
    case fetchInstallation
    /// Change an installation (`PATCH /mobile/1/appinstance/{id}`).
    case updateInstallation
    /// End a registration (`DELETE /mobile/1/appinstance/{id}`).
    case expireInstallation
    /// Hand out the person of an installation (`GET /mobile/1/appinstance/{id}/user`).
    case fetchPerson
    /// Change the person of an installation (`PATCH /mobile/1/appinstance/{id}/user`).
    case updatePerson
    /// Say whose an installation is (`POST /mobile/1/appinstance/{id}/personalize`).
    case personalize
    /// Make an installation nobody's (`POST /mobile/1/appinstance/{id}/depersonalize`).
    case depersonalize
    /// Say again whose a lost installation was (`POST /mobile/1/appinstance/{id}/repersonalize`).
    case repersonalize
    /// Take custom events of a person (`POST /mobile/1/appinstance/{id}/user/events/custom`).
    case customEvents
    /// Take reports of sessions (`POST /mobile/1/appinstance/{id}/user/events/session`).
    case sessionReports
    /// Hand out the address to use from now on (`GET /mobile/1/baseurl`).
    case baseURL
}
