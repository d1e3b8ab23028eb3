// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
import FoundationEssentials
public import Hummingbird
public import Signet

/// Answers the two probes of an orchestrator from the health of a runtime.
///
/// ```
/// SignetHealthRoutes(signet).add(to: router)
/// ```
///
/// Add them to the router, not to a group with ``SignetMiddleware``: no visitor is behind a probe. Keep both paths from the
/// internet: the reasons say what is wrong with your service, though no key, identity or attribute value.
///
/// They read memory only, so a probe may ask as often as it likes. What each reason means is in the article "Monitoring" of
/// `Signet`.
public struct SignetHealthRoutes: Sendable {
    /// A reason, for people and their scripts.
    private struct Reason: Encodable {
        let reason: String
        let details: String
        let since: String
    }

    /// The body of the answer to a readiness probe.
    private struct Readiness: ResponseEncodable {
        let status: String
        let reasons: [Reason]

        init(_ health: SignetHealth) {
            self.status = health == .ready ? "ready" : "degraded"
            self.reasons = health.reasons.map { reason in
                Reason(reason: reason.name, details: reason.details, since: reason.since.ISO8601Format())
            }
        }
    }

    private let signet: SignetRuntime

    /// Makes the routes of a runtime.
    ///
    /// - Parameter signet: The runtime.
    public init(_ signet: SignetRuntime) {
        self.signet = signet
    }

    /// Adds both routes to a router.
    ///
    /// The first answers 200 as long as the process answers, as a restart mends neither a disk nor the platform. The second answers
    /// 503 while calls of the runtime fail (`SignetHealth.acceptsCalls` is false), else 200. Its body has the status, `ready` or
    /// `degraded`, and the reasons, also with 200; it is JSON unless the context of the router encodes answers in another way.
    ///
    /// - Parameters:
    ///   - router: The router, or a group of it.
    ///   - livePath: The path of the probe that asks whether the process lives.
    ///   - readyPath: The path of the probe that asks whether the process may get requests.
    public func add(
        to router: some RouterMethods,
        live livePath: RouterPath = "/healthz",
        ready readyPath: RouterPath = "/readyz"
    ) {
        let signet = self.signet
        router.get(livePath) { _, _ in "alive\n" }
        router.get(readyPath) { _, _ in
            let health = signet.health
            // A platform that is down takes no replica away: events wait on disk.
            return EditedResponse(
                status: health.acceptsCalls ? .ok : .serviceUnavailable,
                response: Readiness(health)
            )
        }
    }
}
#endif
