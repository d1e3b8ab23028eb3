// SPDX-License-Identifier: Apache-2.0

/// The strategy by which the platform resolves an identity request to a profile (mParticle, guides, IDSync strategies).
///
/// Each strategy walks the priority list from the top: the first type that finds profiles decides, and the next ones
/// break ties. A known profile is found only with one of its login identities. One case is not documented: the list
/// stops at an anonymous profile while a login identity of the request has an owner. Then identify and login resolve to the
/// owner, since a login identity means exactly one user. A remaining tie goes to the client's previous user, else to the
/// profile that was identified last, else to the smallest number.
public enum IdentityStrategy: String, Sendable, Hashable, CaseIterable {
    /// One customer id, one profile: a new customer id is added to the matching anonymous profile.
    ///
    /// It is ``conversion`` with `customerid` as the only unique and the only login identity.
    case `default`
    /// Profile conversion: a new login identity turns the matching anonymous profile into a known one.
    case conversion
    /// Profile link: a new login identity gets a profile of its own with a link to the anonymous source profile.
    case link
    /// Profile isolation: known and anonymous profiles never mix; logout returns to the anonymous profile of the device.
    case isolation
    /// Best match: no login and no unique identities; the best matching profile collects all identities given.
    case bestMatch

    /// True when the platform accepts alias requests under this strategy.
    public var allowsAliases: Bool {
        switch self {
        case .default, .conversion, .link: true
        case .isolation, .bestMatch: false
        }
    }

    /// True when a new login identity gets a new profile even if an anonymous profile matches.
    var separatesKnownUsers: Bool {
        self == .link || self == .isolation
    }

    /// True when a profile may hold several values of one type.
    var collectsValues: Bool {
        self == .bestMatch
    }
}
