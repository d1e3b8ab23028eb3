//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How the platform decides which profile an identity request means (mParticle, guides, IDSync strategies).
///
/// Under each of them the list of priorities is walked from the top, the first type that finds profiles decides, and the next
/// ones break ties; a known profile is found only with one of its login identities. One case no source decides: the list
/// stops at an anonymous profile while a login identity of the request has an owner. Then identify and login take the owner,
/// since a login identity means exactly one user. A tie that is left goes to the client's previous user, else to the profile
/// that was identified last, else to the smallest number.
public enum IdentityStrategy: String, Sendable, Hashable, CaseIterable {
    /// One customer id, one profile: a new customer id joins the anonymous profile at hand.
    ///
    /// As ``conversion``, with `customerid` as the only unique and the only login identity.
    case `default`
    /// Profile conversion: a new login identity turns the anonymous profile at hand into a known one.
    case conversion
    /// Profile link: a new login identity gets a profile of its own, which remembers the anonymous one it came from.
    case link
    /// Profile isolation: known and anonymous profiles never mix; logout returns to the anonymous profile of the device.
    case isolation
    /// Best match: no login and no unique identities; the best matching profile collects what it is given.
    case bestMatch

    /// Whether the platform takes alias requests under this strategy.
    public var allowsAliases: Bool {
        switch self {
        case .default, .conversion, .link: true
        case .isolation, .bestMatch: false
        }
    }

    /// Whether a login identity seen for the first time gets a new profile even when an anonymous one is at hand.
    var separatesKnownUsers: Bool {
        self == .link || self == .isolation
    }

    /// Whether a profile may hold several values of one type.
    var collectsValues: Bool {
        self == .bestMatch
    }
}
