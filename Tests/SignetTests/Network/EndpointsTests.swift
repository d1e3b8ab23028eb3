// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Where requests go, end to end: the URLs that a transport is given.
@Suite(.watched) struct EndpointsTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// Serves an emulator under other hosts and prefixes, as a proxy does that takes the prefixes off.
    private struct Proxy: Transport {
        let platform: Emulator
        let prefixes: [String]

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            var url = request.url
            for prefix in self.prefixes where url.hasPrefix(prefix + "/") {
                url = "https://s2s.us1.mparticle.com" + url.dropFirst(prefix.count)
            }
            return try await self.platform.transport.send(
                TransportRequest(
                    method: request.method,
                    url: url,
                    headers: request.headers,
                    body: request.body,
                    timeout: request.timeout,
                    responseLimit: request.responseLimit
                )
            )
        }
    }

    private func urls(
        prefixes: [String],
        _ configure: (inout SignetConfiguration) throws -> Void
    ) async throws -> Set<String> {
        let clock = ManualClock()
        let platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
        let transport = RecordingTransport(Proxy(platform: platform, prefixes: prefixes))
        var configuration = SignetConfiguration.vendorTimes(
            apiKey: platform.configuration.apiKey,
            secret: platform.configuration.secret,
            directory: self.folder.path
        )
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        try configure(&configuration)
        let signet = try SignetRuntime(configuration, transport: transport)
        try await signet.runs {
            let visitor = try await signet.open("v", identify: .none)
            _ = try await visitor.identify()
            clock.advance(by: .seconds(1))
            let known = try await visitor.login([.customerID: "c"])
            _ = try await visitor.modify([.email: "a@example.com"])
            try visitor.log(.custom("x"))
            try await signet.upload()
            let guest = try #require(known.previousGuest)
            _ = try await visitor.alias(AliasRequest(source: guest, destination: known.user))
            await until("the alias") { transport.exchanges.contains { $0.endpoint == "alias" && $0.result != nil } }
        }
        // Every request was understood: signatures are over the documented paths.
        for exchange in transport.exchanges {
            #expect([200, 202].contains(try exchange.result?.get().status), "\(exchange.request.url)")
        }
        return Set(transport.exchanges.map(\.request.url))
    }

    @Test func aDomainOfYourOwnHasTheVendorsPrefixes() async throws {
        let urls = try await self.urls(prefixes: [
            "https://data.example/identity", "https://data.example/nativeevents",
        ]) {
            $0.endpoints = try .init(customDomain: ServerURL("https://data.example"))
        }
        #expect(urls.contains("https://data.example/identity/v1/login"))
        #expect(urls.contains("https://data.example/nativeevents/v1/identity/us1-emulated/alias"))
        // The layout has no prefix for the Events API.
        #expect(urls.contains("https://s2s.us1.mparticle.com/v2/events"))
        #expect(
            urls.filter { $0.hasSuffix("/modify") }.allSatisfy { $0.hasPrefix("https://data.example/identity/v1/") }
        )
    }

    @Test func eachEndpointHasAHostAndAPrefixOfItsOwn() async throws {
        let urls = try await self.urls(prefixes: [
            "https://id.example:8443/a", "https://alias.example", "https://events.example/b/c",
        ]) {
            $0.endpoints.identity = try ServerURL("https://id.example:8443/a")
            $0.endpoints.alias = try ServerURL("https://alias.example/")
            $0.endpoints.events = try ServerURL("https://events.example/b/c/")
        }
        #expect(urls.contains("https://id.example:8443/a/v1/identify"))
        #expect(urls.contains("https://alias.example/v1/identity/us1-emulated/alias"))
        #expect(urls.contains("https://events.example/b/c/v2/events"))
    }
}
