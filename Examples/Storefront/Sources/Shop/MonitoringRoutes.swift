// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Signet
import SignetHummingbird

/// What probes and Prometheus ask.
///
/// It is in front of the cookie, as no visitor is behind it. Do not let the internet in here.
struct MonitoringRoutes {
    let signet: SignetRuntime
    let metrics: PrometheusMetrics?

    func add(to router: some RouterMethods<ShopContext>) {
        // `/healthz` and `/readyz`.
        SignetHealthRoutes(self.signet).add(to: router)
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
