//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a request asks of the platform; the name of it in ``Weather`` and in ``Emulator/requestCounts()``.
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
}
