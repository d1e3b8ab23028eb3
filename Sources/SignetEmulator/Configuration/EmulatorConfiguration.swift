//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct SignetModel.IdentityType
public import struct SignetModel.Secret

/// The workspace that an ``Emulator`` plays: its key, its identity rules, its limits.
public struct EmulatorConfiguration: Sendable {
    /// The API key that requests must name.
    public let apiKey: String
    /// The secret that requests must prove.
    public let secret: Secret
    /// How identity requests find their profile.
    public let strategy: IdentityStrategy
    /// The types that a profile is looked up by, most important first; others are kept but find nothing.
    public let priority: [IdentityType]
    /// The types of which a value belongs to one profile at most; immutable ones are among them.
    public let uniqueIdentities: Set<IdentityType>
    /// The types that make a profile a known one; immutable ones are among them.
    public let loginIdentities: Set<IdentityType>
    /// The types whose value never changes once it is set.
    public let immutableIdentities: Set<IdentityType>

    /// Where new users get their numbers from.
    public var mpids: MPIDSequence
    /// When answers say that a user is ephemeral.
    public var ephemeralRule = EphemeralRule.never
    /// Whether the identity interface accepts a request that proves nothing but the key; the platform's default is no.
    public var allowsKeyOnly = false
    /// How long after its request an alias is carried out: 24 hours, as documented.
    public var aliasDelay = Duration.seconds(24 * 60 * 60)
    /// How far a signed `Date` may be from the platform's clock, either way; nil accepts any date.
    ///
    /// No source documents the platform's own tolerance.
    public var requestDateTolerance: Duration?
    /// The projects of Iterable's API; a key that comes twice is the later one.
    public var iterableProjects = [EmulatedIterableProject()]
    /// The applications of Infobip's API; a code that comes twice is the later one.
    public var applications = [EmulatedInfobipApplication()]
    /// How many events are remembered, the last ones; nil for all.
    ///
    /// At least so many: batches are forgotten whole, and with them their ids, by which they would be recognised. Of the visitors'
    /// and of Infobip's API, at least the last so many requests are remembered, and the events that they brought.
    /// Who users are, and what was told of them, is never forgotten.
    public var keptEvents: Int?
    /// The bounds of what a request may hold.
    public var limits = EmulatorLimits()

    /// Describes a workspace.
    ///
    /// - Parameters:
    ///   - apiKey: The API key.
    ///   - secret: The secret that belongs to it.
    ///   - strategy: How identity requests find their profile.
    ///   - priority: The types a profile is looked up by; the documented order of the default strategy unless you say
    ///     otherwise.
    ///   - uniqueIdentities: Nil is what the documentation says for the strategy: `customerid` for the default strategy and
    ///     for conversion, `customerid` and `email` for link and isolation, none for best match.
    ///   - loginIdentities: As for `uniqueIdentities`.
    ///   - immutableIdentities: They count as unique and as login identities too.
    ///   - mpids: Where new users get their numbers from.
    public init(
        apiKey: String = "us1-emulated",
        secret: Secret = "emulated-secret",
        strategy: IdentityStrategy = .default,
        priority: [IdentityType] = EmulatorConfiguration.documentedPriority,
        uniqueIdentities: Set<IdentityType>? = nil,
        loginIdentities: Set<IdentityType>? = nil,
        immutableIdentities: Set<IdentityType> = [],
        mpids: MPIDSequence = .random(seed: 1)
    ) {
        let documented = Self.documentedLoginIdentities(of: strategy)
        self.apiKey = apiKey
        self.secret = secret
        self.strategy = strategy
        self.priority = priority
        self.uniqueIdentities = (uniqueIdentities ?? documented).union(immutableIdentities)
        self.loginIdentities = (loginIdentities ?? documented).union(immutableIdentities)
        self.immutableIdentities = immutableIdentities
        self.mpids = mpids
    }

    /// The order of the default strategy (guides, IDSync, default strategy), without types that requests cannot name.
    public static let documentedPriority: [IdentityType] = [
        "customerid", "mobile_number", "email", "other", "facebook", "google", "twitter", "microsoft", "yahoo",
        "ios_idfa", "ios_idfv", "android_aaid", "android_uuid", "roku_aid", "roku_publisher_id",
        "device_application_stamp",
    ].compactMap(IdentityName.identityType(wireName:))

    // The documentation gives the unique and the login types of a strategy as one set.
    private static func documentedLoginIdentities(of strategy: IdentityStrategy) -> Set<IdentityType> {
        let names: [String] =
            switch strategy {
            case .default, .conversion: ["customerid"]
            case .link, .isolation: ["customerid", "email"]
            case .bestMatch: []
            }
        return Set(names.compactMap(IdentityName.identityType(wireName:)))
    }
}
