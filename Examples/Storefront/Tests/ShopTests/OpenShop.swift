// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ServiceLifecycle
import Shop
import Signet
import SignetEmulator
import SignetServer
import SignetWebVisitors

/// A shop that is open, and the platform that it tells, both over HTTP.
struct OpenShop: Sendable {
    let port: Int
    let signet: SignetRuntime
    let keys: VisitorKeys
    let emulator: Emulator
    /// What it logs, for one reader.
    let lines: AsyncStream<String>
    private let transport = AsyncHTTPClientTransport()

    /// Opens a shop while a body visits it, and closes it in order.
    ///
    /// - Returns: The platform, after the shop was closed.
    @discardableResult
    static func visit(
        _ strategy: IdentityStrategy = .default,
        sessionTimeout: Duration = .seconds(60),
        _ body: @Sendable (OpenShop) async throws -> Void
    ) async throws -> Emulator {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shop-\(UUID().uuidString)")
        defer { removeQuietly(folder) }
        let emulator = Emulator(EmulatorConfiguration(strategy: strategy))
        try await EmulatorServer(emulator).serve { platform async throws in
            var configuration = SignetConfiguration(
                apiKey: emulator.configuration.apiKey,
                secret: emulator.configuration.secret,
                directory: folder.path
            )
            configuration.baseURL = try ServerURL(platform)
            configuration.sessions.timeout = sessionTimeout
            let signet = try SignetRuntime(configuration, transport: AsyncHTTPClientTransport())
            let (ports, port) = AsyncStream<Int>.makeStream()
            let (lines, line) = AsyncStream<String>.makeStream()
            let logger = Logger(label: "shop") { _ in LineHandler(line) }
            var visitors = WebVisitorsConfiguration(keys: .ofThisProcess())
            visitors.cookie = .development
            let keys = visitors.keys
            let shop = Shop(
                signet,
                visitors: WebVisitors(signet, visitors),
                port: 0,
                idleTimeout: .seconds(1),
                logger: logger
            ) { port.yield($0) }
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: shop.services, logger: logger)
            )
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                for await port in ports {
                    try await body(OpenShop(port: port, signet: signet, keys: keys, emulator: emulator, lines: lines))
                    break
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
        return emulator
    }

    // What is left in the folder for temporary files harms no other test.
    private static func removeQuietly(_ folder: URL) {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    /// One request of a browser that has the cookie of a visitor.
    func send(
        _ method: TransportRequest.Method,
        _ path: String,
        as visitor: VisitorID,
        form: String = ""
    ) async throws -> TransportResponse {
        try await self.send(method, path, cookie: self.keys.token(for: visitor), form: form)
    }

    /// One request of a browser.
    func send(
        _ method: TransportRequest.Method,
        _ path: String,
        cookie: String? = nil,
        form: String = ""
    ) async throws -> TransportResponse {
        var headers = HTTPHeaders()
        headers.append(name: "User-Agent", value: "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0")
        headers.append(name: "Accept-Language", value: "de-CH, en;q=0.5")
        if let cookie { headers.append(name: "Cookie", value: "signet-visitor=\(cookie)") }
        if !form.isEmpty { headers.append(name: "Content-Type", value: "application/x-www-form-urlencoded") }
        return try await self.transport.send(
            TransportRequest(
                method: method,
                url: "http://127.0.0.1:\(self.port)\(path)",
                headers: headers,
                body: Array(form.utf8)
            )
        )
    }
}

extension TransportResponse {
    /// The body as text.
    var text: String { String(decoding: self.body, as: UTF8.self) }

    /// The value of the visitor's cookie that the answer sets.
    var visitorCookie: String? {
        guard let field = self.headers["Set-Cookie"], field.hasPrefix("signet-visitor=") else { return nil }
        return String(field.dropFirst("signet-visitor=".count).prefix { $0 != ";" })
    }
}

extension Emulator {
    /// The events of all users.
    var allEvents: [EmulatedEvent] { self.users().flatMap { self.events(of: $0.mpid) } }
}
