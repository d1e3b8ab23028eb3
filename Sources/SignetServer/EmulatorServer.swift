//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
public import ServiceLifecycle
public import SignetEmulator

/// An ``Emulator`` over HTTP: the documented paths of its services, and a live page at `/`.
///
/// It is a service in the sense of swift-service-lifecycle: ``run()`` serves until its task is cancelled or a graceful
/// shutdown begins. Several may serve one emulator.
public final class EmulatorServer: Service {
    /// What answers.
    public let emulator: Emulator
    /// Where it listens, and how much it takes.
    public let configuration: EmulatorServerConfiguration

    private let listening = Listening()
    private let responder: EmulatorResponder
    private let feed: ExchangeFeed

    /// Makes a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - emulator: What answers.
    ///   - configuration: Where it listens, and how much it takes.
    public convenience init(
        _ emulator: Emulator = Emulator(),
        configuration: EmulatorServerConfiguration = EmulatorServerConfiguration()
    ) {
        self.init(emulator, configuration: configuration, history: nil)
    }

    /// Makes a server whose emulator goes on from where a folder says it was.
    ///
    /// - Parameters:
    ///   - history: What happened; its emulator answers.
    ///   - configuration: Where it listens, and how much it takes.
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

    /// The address, `http://127.0.0.1:8080`; waits until the server listens.
    ///
    /// - Throws: ``EmulatorServerError`` when it cannot, or has ended.
    public func url() async throws -> String {
        try await self.listening.url()
    }

    /// How many live pages are told of each request now.
    package var pagesListening: Int {
        self.feed.subscriberCount
    }

    /// Serves until the task is cancelled or a graceful shutdown begins.
    ///
    /// - Throws: ``EmulatorServerError`` when the address cannot be listened on.
    public func run() async throws {
        guard self.listening.begin() else {
            throw EmulatorServerError(.stopped, "A server runs once; make another one.")
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
            let failure = EmulatorServerError(
                .notListening,
                "\(self.configuration.host), port \(self.configuration.port), cannot be listened on: \(error)"
            )
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
            // What there is to say is said by whoever runs the server.
            logger: Logger(label: "signet-emulator", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }
}
#endif
