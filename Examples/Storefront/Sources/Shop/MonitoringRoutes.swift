// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Signet

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What probes and Prometheus ask.
///
/// It is in front of the cookie, as no visitor is behind it. Do not let the internet in here.
struct MonitoringRoutes {
    let signet: SignetRuntime
    let metrics: PrometheusMetrics?

    /// A reason, for people and their scripts.
    private struct Reason: ResponseEncodable {
        let reason: String
        let details: String
        let since: String
    }

    /// The answer of `/readyz`.
    private struct Readiness: ResponseEncodable {
        let status: String
        let reasons: [Reason]
    }

    func add(to router: some RouterMethods<ShopContext>) {
        // The process lives. A restart would mend neither a disk nor the platform.
        router.get("/healthz") { _, _ in "alive\n" }
        // 503 only while calls of the runtime fail. A platform that is down takes no shop away: events wait on disk.
        router.get("/readyz") { _, _ in
            let health = self.signet.health
            let reasons = health.reasons.map { reason in
                Reason(reason: reason.name, details: reason.details, since: reason.since.ISO8601Format())
            }
            return EditedResponse(
                status: health.acceptsCalls ? .ok : .serviceUnavailable,
                response: Readiness(status: health == .ready ? "ready" : "degraded", reasons: reasons)
            )
        }
        guard let metrics = self.metrics else { return }
        let observer = MetricsObserver(factory: metrics)
        router.get("/metrics") { _, _ in
            observer.updateGauges(of: self.signet)
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: .init(string: metrics.text))
            )
        }
    }
}

extension Shop {
    /// The same shop, which shows these metrics at `/metrics`.
    public func showing(_ metrics: PrometheusMetrics) -> Shop {
        var shop = self
        shop.metrics = metrics
        return shop
    }
}
