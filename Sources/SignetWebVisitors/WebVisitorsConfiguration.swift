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
    /// The beginnings of the `User-Agent` of your own apps, which send none of a browser; none unless you say otherwise.
    ///
    /// ``KnownBots`` takes each program for a machine whose `User-Agent` does not begin as a browser's does. An app of your own that
    /// calls this server is such a program, unless it does so from a web view. Name it here: `Shop` is for
    /// `Shop/4.1 CFNetwork/3826.500.131 Darwin/24.5.0`, not for `Shopping/1`; `okhttp/` is for each version. Case does not count.
    ///
    /// A request with such a `User-Agent` is not of a bot, and ``isBot`` is not asked.
    public var appUserAgents: [String] = []
    /// The bot filter: true skips a request.
    ///
    /// ``KnownBots`` unless you say otherwise. It is not asked about ``appUserAgents``.
    public var isBot: @Sendable (_ request: VisitorRequest) -> Bool = { KnownBots.sends($0) }

    /// Makes settings with the defaults.
    ///
    /// - Parameter keys: The keys that sign cookies.
    public init(keys: VisitorKeys) {
        self.keys = keys
    }

    /// True if the `User-Agent` is that of an app in ``appUserAgents``.
    func isOfApp(_ request: VisitorRequest) -> Bool {
        guard !self.appUserAgents.isEmpty, let agent = request["User-Agent"] else { return false }
        let text = agent.utf8.map(VisitorRequest.lower)[...]
        return self.appUserAgents.contains {
            !$0.isEmpty && UserAgentWord.isWhole($0.utf8.map(VisitorRequest.lower), at: text)
        }
    }
}
