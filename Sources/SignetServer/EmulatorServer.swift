// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
public import ServiceLifecycle
public import SignetEmulator

/// An `Emulator` over HTTP: the documented paths of its services, and a live page at `/`.
///
/// It is a service of swift-service-lifecycle: ``run()`` serves until its task is cancelled or a graceful shutdown begins.
/// Several servers may serve one emulator.
public final class EmulatorServer: Service {
    /// The emulator that answers requests.
    public let emulator: Emulator
    /// The address and limits of the server.
    public let configuration: EmulatorServerConfiguration

    private let listening = Listening()
    private let responder: EmulatorResponder
    private let feed: ExchangeFeed

    /// Makes a server, which listens once it runs.
    ///
    /// - Parameters:
    ///   - emulator: The emulator that answers requests.
    ///   - configuration: The address and limits of the server.
    public convenience init(
        _ emulator: Emulator = Emulator(),
        configuration: EmulatorServerConfiguration = EmulatorServerConfiguration()
    ) {
        self.init(emulator, configuration: configuration, history: nil)
    }

    /// Makes a server with the emulator of a history, whose state survives restarts.
    ///
    /// - Parameters:
    ///   - history: The history; its emulator answers requests.
    ///   - configuration: The address and limits of the server.
    public convenience init(
        _ history: EmulatorHistory,
        configuration: EmulatorServerConfiguration = EmulatorServerConfiguration()
    ) {
        self.init(history.emulator, configuration: configuration, history: history)
    }

    private init(_ emulator: Emulator, configuration: EmulatorServerConfiguration, history: EmulatorHistory?) {
        self.emulator = emulator
        self.configuration = configuration
        let log = ExchangeLog(count: configuration.rememberedExchanges, bytes: configuration.rememberedBytes)
        self.feed = ExchangeFeed(log)
        let services = ServiceRequestHandler(
            emulator,
            configuration: configuration,
            feed: self.feed,
            clock: SystemTime.clock()
        )
        let page = PageRequestHandler(emulator, feed: self.feed, history: history, services: services)
        self.responder = EmulatorResponder(
            services: services,
            page: configuration.showsPage ? page : nil,
            hosts: HostRule(names: configuration.hostNames),
            marks: emulator.configuration.limits.combiningMarks
        )
    }

    /// Waits until the server listens, then returns its URL, such as `http://127.0.0.1:8080`.
    ///
    /// - Throws: ``EmulatorServerError`` when the server cannot listen or has ended.
    public func url() async throws -> String {
        try await self.listening.url()
    }

    /// The number of live pages that receive updates.
    package var pagesListening: Int {
        self.feed.subscriberCount
    }

    /// Serves until the task is cancelled or a graceful shutdown begins.
    ///
    /// - Throws: ``EmulatorServerError`` when the address cannot be listened on.
    public func run() async throws {
        guard self.listening.begin() else {
            throw EmulatorServerError(.stopped, "A server runs only once. Make another one.")
        }
        defer {
            self.listening.end()
            self.feed.finish()
        }
        do {
            try await withGracefulShutdownHandler {
                try await self.application.run()
            } onGracefulShutdown: {
                self.feed.finish()
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            guard !self.listening.hasListened else { throw error }
            let failure = EmulatorServerError(.notListening, ListenFailure.message(error, self.configuration))
            self.listening.end(failure)
            throw failure
        }
    }

    private var application: Application<EmulatorResponder> {
        let configuration = self.configuration
        return Application(
            responder: self.responder,
            server: HTTPServerBuilder { EmulatorChannel(configuration, responder: $0) },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: "signet-emulator",
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connections)
            ),
            onServerRunning: { [listening] channel in
                let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
                listening.announce("http://\(host):\(channel.localAddress?.port ?? configuration.port)")
            },
            // The program that runs the server does the logging.
            logger: Logger(label: "signet-emulator", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }

    /// Serves while `body` runs, then shuts down gracefully.
    ///
    /// - Parameter body: Receives the URL of the server.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`, and ``EmulatorServerError`` when the address cannot be listened on.
    public func serve<Result: Sendable>(
        _ body: (_ url: String) async throws -> Result
    ) async throws -> Result {
        let group = ServiceGroup(
            services: [self],
            logger: Logger(label: "signet-emulator", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result = try await body(try await self.url())
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }
}
#endif
