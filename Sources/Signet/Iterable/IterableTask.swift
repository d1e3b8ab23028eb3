//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One thing to be done for a user at Iterable, before the records that wait.
enum IterableTask: Sendable, Hashable {
    /// Make the unknown user that was being made when the visitor became known, so that it can be merged.
    case create(userID: String, criterion: String)
    /// Tell the app that there is an unknown user.
    case announce
    /// Have a token, if the project wants any.
    case awaitToken
    /// Make one user of an unknown one and this one.
    case merge(source: String)
    /// Tell of consent, of this moment in milliseconds.
    case consent(at: Int64, isKnown: Bool)
    /// Tell of the push token of the device, and whether the app may notify there, as far as it has said.
    case register(IterablePushToken, allowsNotifications: Bool?)
    /// Take the push token of the device back, for it is somebody else's now: from the user, or from an unknown one who was to
    /// be merged into them.
    case disable(token: String, of: String? = nil)
    /// Another address.
    case changeEmail(String)
}

/// A push token of the device of an installation.
struct IterablePushToken: Sendable, Hashable {
    /// In hexadecimal.
    let token: String
    /// The push service.
    let platform: String
}
