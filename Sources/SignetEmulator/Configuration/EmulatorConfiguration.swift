// SPDX-License-Identifier: Apache-2.0

public import struct SignetModel.IdentityType
public import struct SignetModel.Secret

/// The workspace that an ``Emulator`` simulates: its key, identity rules and limits.
public struct EmulatorConfiguration: Sendable {
    /// The API key that requests must name.
    public let apiKey: String
    /// The secret that requests must be signed or authenticated with.
    public let secret: Secret
    /// The rules by which identity requests find a profile.
    public let strategy: IdentityStrategy
    /// The types that a profile is looked up by, most important first; other types are stored but not searched.
    public let priority: [IdentityType]
    /// The types whose values belong to at most one profile each; includes the immutable types.
    public let uniqueIdentities: Set<IdentityType>
    /// The types that make a profile known; includes the immutable types.
    public let loginIdentities: Set<IdentityType>
    /// The types whose values never change once set.
    public let immutableIdentities: Set<IdentityType>

    /// The source of the MPIDs of new users.
    public var mpids: MPIDSequence
    /// The rule for `is_ephemeral` in identity answers.
    public var ephemeralRule = EphemeralRule.never
    /// Identity requests with the key alone are accepted while this is true; the platform's default is false.
    public var allowsKeyOnly = false
    /// The origins of web pages that may call the services over HTTP, such as `https://shop.example` or
    /// `http://localhost:5173`; empty by default.
    ///
    /// `EmulatorServer` answers the preflights of their browsers and lets the pages read all answers of the services, but not
    /// those of the live page. An origin is a scheme (`http` or `https`), a host and, unless it is the default one, a port; any
    /// other text, such as `*` or `null`, allows nothing. Requests in the process have no origin.
    public var allowedOrigins: Set<String> = []
    /// The delay between an alias request and its execution: 24 hours, as documented.
    public var aliasDelay = Duration.seconds(24 * 60 * 60)
    /// The largest difference, either way, between a signed `Date` and the platform's clock; nil accepts any date.
    ///
    /// No source documents the platform's own tolerance.
    public var requestDateTolerance: Duration?
    /// The projects of Iterable's API; of two with the same key, the later one counts.
    public var iterableProjects = [EmulatedIterableProject()]
    /// The applications of Infobip's API; of two with the same code, the later one counts.
    public var applications = [EmulatedInfobipApplication()]
    /// The number of most recent events to keep; nil keeps all.
    ///
    /// This is a minimum: batches are forgotten whole, together with the ids by which repetitions are recognised.
    /// For Iterable's and Infobip's API, at least this many of the last requests and their events are kept.
    /// Users, their identities and their attributes are never forgotten.
    public var keptEvents: Int?
    /// The limits on requests.
    public var limits = EmulatorLimits()

    /// Describes a workspace.
    ///
    /// - Parameters:
    ///   - apiKey: The API key.
    ///   - secret: The secret of the key.
    ///   - strategy: The rules by which identity requests find a profile.
    ///   - priority: The types that a profile is looked up by, most important first; by default the documented order of the
    ///     default strategy.
    ///   - uniqueIdentities: Nil uses the documented set of the strategy: `customerid` for the default strategy and
    ///     for conversion, `customerid` and `email` for link and isolation, none for best match.
    ///   - loginIdentities: Nil uses the same documented set as for `uniqueIdentities`.
    ///   - immutableIdentities: The immutable types, which are also unique and login identities.
    ///   - mpids: The source of the MPIDs of new users.
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

/// The limits on requests; the defaults are the documented ones where there are any.
public struct EmulatorLimits: Sendable, Hashable {
    /// The maximum size of a request to the events interface, in bytes: 256 KB (default service limits).
    public var eventsRequestBytes = 256 * 1024
    /// The maximum size of one batch, in bytes: 128 KB (default service limits).
    public var batchBytes = 128 * 1024
    /// The maximum number of batches in one bulk request: 100 (developers, server, HTTP).
    public var batchesPerRequest = 100
    /// The maximum size of an identity or alias request, in bytes; the platform publishes no number.
    public var identityRequestBytes = 128 * 1024
    /// The maximum size of a request to Iterable's API, in bytes; the service publishes no number.
    public var iterableRequestBytes = 1024 * 1024
    /// The maximum size of a request to Infobip's API, in bytes; the service publishes no number.
    public var infobipRequestBytes = 1024 * 1024
    /// The maximum nesting depth of a JSON body; the platform publishes no number.
    public var jsonDepth = 32
    /// The maximum run of combining marks in a text, a name or a header field; beyond it the answer is 400.
    ///
    /// This limit is the emulator's own: the time to compare texts grows with the square of the run. Languages need a few.
    public var combiningMarks = 256

    /// The documented limits.
    public init() {}
}

/// The rule for `is_ephemeral`, which allows a client to delete the user's local data at the next switch.
///
/// The platform does not document its rule; all recorded answers contain false.
public enum EphemeralRule: Sendable, Hashable, CaseIterable {
    /// False in every answer, as recorded.
    case never
    /// True for users without a login identity.
    case anonymousUsers
    /// True in every answer.
    case always

    func isEphemeral(isKnown: Bool) -> Bool {
        switch self {
        case .never: false
        case .anonymousUsers: !isKnown
        case .always: true
        }
    }
}

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
