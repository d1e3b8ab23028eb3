// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetLock

/// The visitors of a web server: a signed cookie names each, and each has an installation of a runtime.
///
/// Call ``visit(_:)`` once for each request, before the route: it decides whose the request is, opens that installation, and
/// says what to send as `Set-Cookie`. It knows no web framework. `SignetHummingbird` is an adapter for Hummingbird; the
/// article "Visitors of a web server" has one for Vapor.
///
/// One object serves a whole process and may be used from any task.
public struct WebVisitors: Sendable {
    /// The settings.
    public let configuration: WebVisitorsConfiguration

    private let signet: SignetRuntime
    private let buckets: Locked<VisitorBuckets>
    /// The time since this object was made, by its clock.
    package let uptime: @Sendable () -> Duration

    /// Makes the visitors of a runtime.
    ///
    /// - Parameters:
    ///   - signet: The runtime that has their installations.
    ///   - configuration: The settings.
    public init(_ signet: SignetRuntime, _ configuration: WebVisitorsConfiguration) {
        self.init(signet, configuration, clock: SystemTime.clock())
    }

    /// Makes the visitors with a clock of one's own, for tests of the limit.
    ///
    /// - Parameters:
    ///   - signet: The runtime that has their installations.
    ///   - configuration: The settings.
    ///   - clock: Measures the time between new visitors.
    public init(_ signet: SignetRuntime, _ configuration: WebVisitorsConfiguration, clock: some Clock<Duration>) {
        let start = clock.now
        self.signet = signet
        self.configuration = configuration
        self.uptime = { start.duration(to: clock.now) }
        self.buckets = Locked(VisitorBuckets(configuration.limit, at: .zero))
    }

    /// Decides about a request, and opens the installation of its visitor.
    ///
    /// Asks the bot filter first, which is not asked about ``WebVisitorsConfiguration/appUserAgents``, then the consent hook, which
    /// is not asked about bots. Opening sends nothing: it does not wait for the platform.
    ///
    /// - Parameter request: The request.
    /// - Returns: The visit; without an installation if the request was skipped.
    /// - Throws: The errors of `SignetRuntime.open`, such as `diskFull` and `notRunning`. No cookie is to be set then.
    public nonisolated(nonsending) func visit(_ request: VisitorRequest) async throws(SignetError) -> WebVisit {
        let kind = request.kind
        let decision = await self.decision(about: request, kind)
        switch decision {
        case .open(let visitor, let renewsCookie):
            let installation = try await self.open(visitor, request)
            guard renewsCookie else { return WebVisit(.known, kind, installation) }
            return self.visit(.known, kind, visitor, installation)
        case .create:
            guard self.takeToken(request) else { return WebVisit(.skipped(.limited), kind, nil) }
            let visitor = VisitorID.random()
            return self.visit(.new, kind, visitor, try await self.open(visitor, request))
        case .skip(let reason, let removesCookie):
            return WebVisit(
                .skipped(reason),
                kind,
                nil,
                setCookie: removesCookie ? self.configuration.cookie.removal : nil
            )
        }
    }

    private nonisolated(nonsending) func decision(
        about request: VisitorRequest,
        _ kind: VisitorRequest.Kind
    ) async -> VisitorDecision {
        let isBot = !self.configuration.isOfApp(request) && self.configuration.isBot(request)
        let cookie = VisitorCookieState(
            fields: request.values(of: "Cookie"),
            name: self.configuration.cookie.name,
            keys: self.configuration.keys
        )
        let consent: VisitorConsent = isBot ? .undecided : await self.configuration.consent(request)
        return VisitorDecision(cookie: cookie, consent: consent, isBot: isBot, kind: kind)
    }

    private func takeToken(_ request: VisitorRequest) -> Bool {
        // Code of the app, and the clock, are asked before the lock is taken.
        let (name, now) = (self.configuration.limit.key?(request), self.uptime())
        return self.buckets.withLock { $0.take(name, at: now) }
    }

    private nonisolated(nonsending) func open(
        _ visitor: VisitorID,
        _ request: VisitorRequest
    ) async throws(SignetError) -> Installation {
        try await self.signet.open(
            visitor.installation,
            identify: self.configuration.identify,
            context: request.context(trusting: self.configuration.proxies),
            retry: self.configuration.retry
        )
    }

    private func visit(
        _ outcome: WebVisit.Outcome,
        _ kind: VisitorRequest.Kind,
        _ visitor: VisitorID,
        _ installation: Installation
    ) -> WebVisit {
        let token = self.configuration.keys.token(for: visitor)
        return WebVisit(
            outcome,
            kind,
            installation,
            token: token,
            setCookie: self.configuration.cookie.setting(token)
        )
    }
}
