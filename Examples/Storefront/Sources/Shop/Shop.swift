// SPDX-License-Identifier: Apache-2.0

import Hummingbird
public import Logging
public import ServiceLifecycle
public import Signet
import SignetHummingbird
public import SignetWebVisitors

/// The shop on a runtime: a web server and the readers of its updates, as services of one group.
public struct Shop: Sendable {
    private let signet: SignetRuntime
    private let visitors: WebVisitors
    private let host: String
    private let port: Int
    private let idleTimeout: Duration
    private let replica: String?
    private let logger: Logger
    private let onListening: @Sendable (_ port: Int) async -> Void
    /// What `/metrics` shows; see ``showing(_:)``.
    var metrics: PrometheusMetrics?

    /// Makes the shop; nothing listens yet.
    ///
    /// - Parameters:
    ///   - signet: One runtime for the process; the group runs it, nobody else.
    ///   - visitors: The visitors of that runtime.
    ///   - host: The address to listen on; 0.0.0.0 for all of this machine.
    ///   - port: The port to listen on; 0 for any free one.
    ///   - idleTimeout: How long a browser may say nothing in the middle of a request, or keep an idle connection.
    ///   - replica: The name of this process among several, for the header `X-Replica`; nil for none.
    ///   - logger: Where the shop tells what it does.
    ///   - onListening: Is told the port once it listens.
    public init(
        _ signet: SignetRuntime,
        visitors: WebVisitors,
        host: String = "127.0.0.1",
        port: Int,
        idleTimeout: Duration = .seconds(15),
        replica: String? = nil,
        logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.signet = signet
        self.visitors = visitors
        self.host = host
        self.port = port
        self.idleTimeout = idleTimeout
        self.replica = replica
        self.logger = logger
        self.onListening = onListening
    }

    /// What a service group runs, started in this order and shut down in reverse: first the server, so that no request is
    /// left that could log; then the runtime, which delivers what waits; its updates end with it, and so their reader.
    public var services: [ServiceGroupConfiguration.ServiceConfiguration] {
        // Subscribes here, so that nothing is missed before the group runs it.
        let endings = UpdatesService(self.signet.sessionChanges()) { [logger] change in
            guard case .ended(let summary) = change.kind else { return }
            logger.info(
                "A session has ended.",
                metadata: [
                    "reason": "\(change.endReason ?? .timeout)", "length": "\(summary.length)",
                    "events": "\(summary.eventCount)",
                ]
            )
        }
        return [
            .init(service: endings),
            .init(service: self.signet),
            .init(service: self.server),
        ]
    }

    // Screen views by the template of the route. No path of this shop names a person: it goes along.
    private static let screens = SignetScreens { request, template in
        .screen(template, attributes: ["path": .string(request.uri.path)])
    }

    private var server: some ApplicationProtocol {
        let router = Router(context: ShopContext.self)
        if let replica = self.replica { router.add(middleware: ReplicaName(name: replica)) }
        let pages = router.group()
            .add(middleware: SignetMiddleware(self.visitors, screens: Self.screens))
        PageRoutes().add(to: pages)
        AccountRoutes().add(to: pages)
        ForgetRoute(cookie: self.visitors.configuration.cookie).add(to: pages)
        MonitoringRoutes(signet: self.signet, metrics: self.metrics).add(to: router)
        return Application(
            router: router,
            // A graceful shutdown waits for requests that have begun: one that nobody goes on with must end.
            server: .http1(configuration: .init(idleTimeout: .nanoseconds(Int64(self.idleTimeout / .nanoseconds(1))))),
            configuration: ApplicationConfiguration(
                address: .hostname(self.host, port: self.port),
                serverName: "storefront"
            ),
            onServerRunning: { [onListening] channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: self.logger
        )
    }
}
