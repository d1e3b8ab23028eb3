//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetCriteria
public import SignetModel
public import SignetTransport
import SignetWire

/// How installations take part in unknown user activation: what a visitor does is kept here until somebody knows who they are.
public struct IterableConfiguration: Sendable {
    /// Which data centre the project is in.
    public enum Region: Sendable, Hashable, CaseIterable {
        /// The one that projects are in unless they say otherwise.
        case unitedStates
        /// The European one.
        case europe
    }

    /// By what the project knows its users: the type that it was made with.
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
    /// Which data centre the project is in.
    public var region = Region.unitedStates
    /// A base URL of your own, such as an emulator; it wins over ``region``.
    public var baseURL: ServerURL?
    /// By what the project knows its users: what of a login is taken where the visitor follows it (``followsLogin``).
    ///
    /// ``Addressing/hybrid`` by default. A login without such a name has nobody of the project in front of the installation, which
    /// ``Installation/identitySyncOutcomes()`` tells as failed. ``IterableVisitor/identify(_:token:resolution:)`` takes what it is given.
    public var addressing = Addressing.hybrid
    /// The master switch: nothing is stored locally, no criteria are fetched, no unknown user is made while it is off.
    ///
    /// Known users work all the same, and a push token that is given meanwhile is theirs. Off by default.
    public var isEnabled = false
    /// How many records of a visitor are kept; the oldest make room, counted as dropped.
    ///
    /// 100 by default, at least 1. The update of the visitor's fields is one record beside these.
    public var eventThreshold = 100
    /// What becomes of a visitor, or an unknown user, who becomes known; each call can say otherwise.
    public var resolution = IdentityResolution(replayOnVisitorToKnown: true, mergeOnUnknownToKnown: true)
    /// Whether criteria are fetched again when the app comes to the foreground, once in 120 s at most.
    public var fetchesInForeground = true
    /// How criteria are read.
    public var dialect = CriteriaDialect.strict
    /// Whether custom and commerce events that are logged through ``Installation/log(_:)`` are also the visitor's.
    ///
    /// Each is the visitor's of whoever is logged in when it is logged, and is taken over a moment later, in order: before
    /// anything that is told of the visitor afterwards, before `sync()` returns, and at the end of the runtime. Until then
    /// it is in memory, and the death of the process costs the copy, never the event. At most 1,000 wait (or
    /// ``eventThreshold``, if that is more); beyond, the copies are dropped and counted (``IterableDropCause/limit``).
    public var forwardsEvents = false
    /// Whether ``Installation/login(_:whenBusy:retry:)``, `identify` and `logout` also identify the visitor, by what
    /// ``addressing`` says.
    public var followsLogin = true
    /// Where tokens come from, for a project that wants them; nil for none, or those that are given with calls.
    public var tokens: TokenProvider?
    /// How often the provider is asked when it has none.
    public var tokenPolicy = TokenRetryPolicy()
    /// How long before its end a token is replaced; 60 s by default.
    public var tokenLead: Duration = .seconds(60)
    /// The name of the app at the push services, and of its package.
    public var applicationName = ""
    /// What the device is called to the service, such as `iOS` or `Linux`.
    public var platform = "Linux"
    /// How long one try of a request may take; 60 s by default, at least 1 s.
    public var requestTimeout: Duration = .seconds(60)
    /// How many requests of all installations are under way at once; 16 by default, at least 1.
    public var maximumInFlight = 16

    /// Makes a configuration with the documented defaults.
    public init(apiKey: Secret) {
        self.apiKey = apiKey
    }

    /// How many records wait for a user who is known to the service, at most.
    var queueLimit: Int { max(self.eventThreshold, 1000) }

    var server: IterableServer {
        if let baseURL { return IterableServer(baseURL) }
        return self.region == .europe ? .europe : .unitedStates
    }

    /// What is wrong with it.
    var problems: [String] {
        var problems: [String] = []
        if self.apiKey.isEmpty { problems.append("iterable.apiKey is empty: use the API key of the project") }
        if self.eventThreshold < 1 { problems.append("iterable.eventThreshold is below 1") }
        if self.requestTimeout < .seconds(1) { problems.append("iterable.requestTimeout is below 1 s") }
        if self.maximumInFlight < 1 { problems.append("iterable.maximumInFlight is below 1") }
        do throws(SignetError) {
            try self.tokenPolicy.validate()
        } catch {
            problems.append("iterable.tokenPolicy cannot be: \(error.message)")
        }
        if self.tokenLead < .zero { problems.append("iterable.tokenLead is negative") }
        return problems
    }
}

/// What becomes of a visitor, or an unknown user, who becomes known.
public struct IdentityResolution: Sendable, Hashable {
    /// Whether what a visitor did is told as done by the known user; nil is what the configuration says.
    public var replayOnVisitorToKnown: Bool?
    /// Whether an unknown user is merged into the known one; nil is what the configuration says.
    public var mergeOnUnknownToKnown: Bool?

    /// Makes a rule; each part that is nil is what the configuration says, and true where that says nothing.
    public init(replayOnVisitorToKnown: Bool? = nil, mergeOnUnknownToKnown: Bool? = nil) {
        self.replayOnVisitorToKnown = replayOnVisitorToKnown
        self.mergeOnUnknownToKnown = mergeOnUnknownToKnown
    }
}
