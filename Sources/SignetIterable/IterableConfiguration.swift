// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetCriteria
public import SignetModel
public import SignetTransport
import SignetWire

/// The configuration of Iterable and its unknown user activation.
///
/// A visitor's records are stored locally until the visitor becomes a user.
public struct IterableConfiguration: Sendable {
    /// The data centre of the project.
    public enum Region: Sendable, Hashable, CaseIterable {
        /// The United States, the default for projects.
        case unitedStates
        /// The European data centre.
        case europe
    }

    /// The kind of user name that the project was created with.
    public enum Addressing: Sendable, Hashable, CaseIterable {
        /// By e-mail address.
        case email
        /// By user id.
        case userID
        /// By either, and by the e-mail address where there are both.
        case hybrid
    }

    /// The API key of the project.
    public var apiKey: Secret
    /// The data centre of the project.
    public var region = Region.unitedStates
    /// A base URL of your own, such as an emulator.
    ///
    /// It takes precedence over ``region``.
    public var baseURL: ServerURL?
    /// The names that the project knows its users by: they select the name that is taken of a login (``followsLogin``).
    ///
    /// ``Addressing/hybrid`` by default. A login without such a name leaves the installation without a user of the
    /// project; `Installation.identitySyncOutcomes()` reports it as failed.
    /// ``IterableVisitor/identify(_:token:resolution:)`` accepts any name.
    public var addressing = Addressing.hybrid
    /// The master switch: while it is off, nothing is stored locally, no criteria are fetched and no unknown user is
    /// made.
    ///
    /// Known users work all the same, and a push token that is set meanwhile is theirs. Off by default.
    public var isEnabled = false
    /// The number of records of a visitor that are kept.
    ///
    /// The oldest make room, counted as dropped.
    ///
    /// 100 by default, at least 1. The update of the visitor's fields is one record in addition.
    public var eventThreshold = 100
    /// The rule for visitors and unknown users who become known.
    ///
    /// Each call can override it.
    public var resolution = IdentityResolution(replayOnVisitorToKnown: true, mergeOnUnknownToKnown: true)
    /// Fetches the criteria again when the app comes to the foreground, at most once in 120 s.
    public var fetchesInForeground = true
    /// The dialect in which criteria are read.
    public var dialect = CriteriaDialect.strict
    /// Copies custom and commerce events logged through `Installation.log(_:)` to the visitor as well, unless
    /// `Event.isUploaded` is false.
    ///
    /// An action on products other than a purchase is a custom event of its name, with `items`, `transactionId` and
    /// `total` as fields; a purchase has its `transactionId`. An attribute of the app with such a name wins. A purchase
    /// without a total costs what its products do. A copy beyond the limits of ``IterableVisitor/track(_:fields:)`` is
    /// dropped and counted (``IterableDropCause/invalid``).
    ///
    /// Each copy belongs to the user or visitor at the time of the log call. Copies are taken over a moment later, in
    /// order: before any later call on the visitor, before `sync()` returns, and at the end of the runtime. Until then
    /// they are in memory, and the death of the process costs the copy, never the event. At most 1,000 wait (or
    /// ``eventThreshold``, if that is more); beyond, the copies are dropped and counted (``IterableDropCause/limit``).
    public var forwardsEvents = false
    /// Makes logins and logouts of the installation identify the visitor too, by the names that ``addressing`` allows.
    ///
    /// The calls are `Installation.login(_:whenBusy:retry:)`, `identify` and `logout`.
    public var followsLogin = true
    /// The provider of tokens, for a project that requires them; nil for none, or for tokens that are passed to calls.
    public var tokens: TokenProvider<IterableUserID>?
    /// Tells your server of an unknown user before ``tokens`` is asked to sign for them; nil for none.
    ///
    /// A server that signs tokens only for user ids that it knows registers the id here. The call is awaited: the first
    /// token of the user, and all requests that need one, come after it. If it throws, or takes longer than the limit
    /// of the provider (30 s without one), it is called again after a growing pause, and after a kill again as well. It
    /// is cancelled at the end of the runtime, which does not wait for it. `iterableChanges()` tells of the user after
    /// it.
    public var onUnknownUserCreated: (@Sendable (_ userID: String) async throws -> Void)?
    /// The retries of the provider after it returns no token.
    public var tokenPolicy = TokenRetryPolicy()
    /// The time before its expiry at which a token is replaced; 60 s by default.
    public var tokenLead: Duration = .seconds(60)
    /// The name of the app at the push services, and the name of its package.
    public var applicationName = ""
    /// The platform of the device as reported to Iterable, such as `iOS` or `Linux`.
    public var platform = "Linux"
    /// The time limit for one try of a request; 60 s by default, at least 1 s.
    public var requestTimeout: Duration = .seconds(60)
    /// The number of requests of all installations in flight at once; 16 by default, at least 1.
    public var maximumInFlight = 16

    /// Makes a configuration with the documented defaults.
    public init(apiKey: Secret) {
        self.apiKey = apiKey
    }

    /// The largest number of records that wait for a user who is known to the service.
    var queueLimit: Int { max(self.eventThreshold, 1000) }

    var server: IterableServer {
        if let baseURL { return IterableServer(baseURL) }
        return self.region == .europe ? .europe : .unitedStates
    }

    /// The mistakes in the configuration, one message each.
    var problems: [String] {
        var problems: [String] = []
        if self.apiKey.isEmpty { problems.append("iterable.apiKey is empty: use the API key of the project") }
        if let fault = self.apiKey.textFault { problems.append("iterable.apiKey \(fault.advice)") }
        if self.eventThreshold < 1 { problems.append("iterable.eventThreshold is below 1") }
        if self.requestTimeout < .seconds(1) { problems.append("iterable.requestTimeout is below 1 s") }
        if self.maximumInFlight < 1 { problems.append("iterable.maximumInFlight is below 1") }
        do throws(SignetError) {
            try self.tokenPolicy.validate()
        } catch {
            problems.append("iterable.tokenPolicy is invalid: \(error.message)")
        }
        if self.tokenLead < .zero { problems.append("iterable.tokenLead is negative") }
        return problems
    }
}

/// The rule for a visitor or an unknown user who becomes known.
public struct IdentityResolution: Sendable, Hashable {
    /// Replays the visitor's records to the known user; nil for the configured value.
    public var replayOnVisitorToKnown: Bool?
    /// Merges an unknown user into the known one; nil for the configured value.
    public var mergeOnUnknownToKnown: Bool?

    /// Makes a rule.
    ///
    /// A part that is nil takes the configured value, and true where that is nil too.
    public init(replayOnVisitorToKnown: Bool? = nil, mergeOnUnknownToKnown: Bool? = nil) {
        self.replayOnVisitorToKnown = replayOnVisitorToKnown
        self.mergeOnUnknownToKnown = mergeOnUnknownToKnown
    }
}
