// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import ServiceLifecycle
import Shop
import Signet
import SignetWebVisitors

/// The shop: `swift run storefront`, with its settings in the environment (`SIGNET_API_KEY`, `SIGNET_SECRET`,
/// `SIGNET_DIRECTORY`, `SIGNET_BASE_URL`, `VISITOR_KEYS`, `VISITOR_LIMIT`, `HOST`, `PORT`; of several replicas
/// `SIGNET_STORE` and `REPLICA`, too).
@main struct Storefront {
    static func main() async throws {
        let logger = Logger(label: "storefront")
        let environment = ConfigReader(provider: EnvironmentVariablesProvider())
        var configuration = try SignetConfiguration(config: environment.scoped(to: "signet"))
        try configuration.shareVisitors(config: environment.scoped(to: "signet"))
        let metrics = PrometheusMetrics()
        let signet = try SignetRuntime(
            configuration,
            transport: AsyncHTTPClientTransport(),
            observer: MetricsObserver(factory: metrics),
            logger: logger
        )
        // This machine alone can reach it; in a container, HOST is 0.0.0.0.
        let host = environment.string(forKey: "host", default: "127.0.0.1")
        let port = environment.int(forKey: "port", default: 8080)
        let visitors = try WebVisitors.shop(signet, configuration.environment, config: environment, logger: logger)
        let replica = environment.string(forKey: "replica")
        let shop = Shop(signet, visitors: visitors, host: host, port: port, replica: replica, logger: logger) { port in
            logger.info("The shop is open at http://\(host):\(port)")
        }
        // Until Ctrl-C or SIGTERM: then the server stops, and the runtime delivers what waits.
        var services = ServiceGroupConfiguration(
            services: shop.showing(metrics).services,
            gracefulShutdownSignals: [.sigint, .sigterm],
            logger: logger
        )
        // Longer than the server and the runtime take together; what is not delivered by then is on disk.
        services.maximumGracefulShutdownDuration = .seconds(60)
        try await ServiceGroup(configuration: services).run()
    }
}
