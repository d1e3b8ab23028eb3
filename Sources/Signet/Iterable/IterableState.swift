//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Who is in front of an installation, as far as Iterable is concerned.
public enum IterableState: Sendable, Hashable {
    /// Visitors are switched off, and nobody is known.
    case switchedOff
    /// Nobody is known, and nothing is kept: there is no consent.
    case noConsent
    /// Nobody is known; what happens is kept here.
    case visitor
    /// A criterion holds: an unknown user is being made.
    case activating
    /// There is an unknown user; some of what happened before is still on its way.
    case replaying(userID: String)
    /// There is an unknown user, and the service has everything.
    case unknown(userID: String)
    /// The user is known; something of before or of now is still on its way.
    case resolving(IterableUserID)
    /// The user is known, and the service has everything.
    case known(IterableUserID)
}
