// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetModel

/// The settings of ``WebVisitors``.
public struct WebVisitorsConfiguration: Sendable {
    /// The keys that sign cookies; the same on each replica.
    public var keys: VisitorKeys
    /// The cookie: `__Host-signet-visitor`, 365 days, https only, unless you say otherwise.
    public var cookie: VisitorCookie = .standard
    /// The proxies whose word about a visitor's address counts; none unless you say otherwise.
    public var proxies: InstallationContext.TrustedProxies = .none
    /// The automatic identify of an open; `.ifUnknown` unless you say otherwise.
    public var identify: IdentifyPolicy = .ifUnknown
    /// The retry policy of that identify; nil for a single try.
    ///
    /// A page does not wait for it. What fails is sent again by the runtime, whatever the policy: it says only how soon.
    public var retry: RetryPolicy?
    /// The limit on new visitors; ``VisitorLimit/standard`` unless you say otherwise.
    public var limit: VisitorLimit = .standard
    /// The consent hook: asked for each request that is not of a bot, before a cookie is set or an installation is opened.
    ///
    /// It runs on the way to each page: read a cookie of your banner, no database. Given, unless you say otherwise; where the
    /// law asks for consent to cookies that are not strictly necessary, you must.
    public var consent: @Sendable (_ request: VisitorRequest) async -> VisitorConsent = { _ in .given }
    /// The bot filter: true skips a request.
    ///
    /// ``KnownBots`` unless you say otherwise.
    public var isBot: @Sendable (_ request: VisitorRequest) -> Bool = { KnownBots.sends($0) }

    /// Makes settings with the defaults.
    ///
    /// - Parameter keys: The keys that sign cookies.
    public init(keys: VisitorKeys) {
        self.keys = keys
    }
}
