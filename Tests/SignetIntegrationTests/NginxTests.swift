// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import AsyncHTTPClient
import NIOCore
import NIOSSL
import Signet
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

/// Log-ins through an nginx that ends connections as real ones do: after some requests, with each reload, when they are idle.
///
/// They fail without nginx (Debian: `nginx-light`).
@Suite(.watched, .serialized) struct NginxTests {
    private static func withRuntime(
        at url: String,
        trusting certificate: LoopbackCertificate? = nil,
        _ body: (SignetRuntime) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        var client = AsyncHTTPClientTransport.recommendedConfiguration()
        client.timeout.connect = .minutes(10)
        if let certificate {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates([certificate.certificate])
            client.tlsConfiguration = tls
        }
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: client)
        var configuration = SignetConfiguration(apiKey: "us1-key", secret: "secret", directory: folder.path)
        configuration.baseURL = try ServerURL(url)
        do {
            try await withSignet(configuration, transport: AsyncHTTPClientTransport(sharing: http), body)
        } catch {
            try await http.shutdown()
            throw error
        }
        try await http.shutdown()
    }

    /// Logs in 16 visitors at once, round after round.
    ///
    /// - Parameters:
    ///   - signet: The runtime.
    ///   - rounds: The number of rounds.
    /// - Returns: The errors, as texts.
    /// - Throws: The error of an open.
    private static func logIns(_ signet: SignetRuntime, rounds: Int = 10) async throws -> [String] {
        let policy = RetryPolicy(totalTime: .seconds(60), initialDelay: .milliseconds(100))
        var errors: [String] = []
        for round in 0..<rounds {
            errors += try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let visitor = try await signet.open(InstallationID("v-\(number)"), identify: .none)
                        do throws(SignetError) {
                            _ = try await visitor.login([.customerID: "c-\(round)-\(number)"], retry: policy)
                            return nil
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
        }
        return errors
    }

    @Test func theEndOfConnectionsAfterTenRequestsFailsNoLogIn() async throws {
        let server = try LoopbackServer { _ in .answer(Platform.user) }
        let certificate = try LoopbackCertificate()
        let nginx = try await Nginx(before: server.url, "keepalive_requests 10;", certificate: certificate)
        try await Self.withRuntime(at: "https://localhost:\(nginx.port)", trusting: certificate) {
            signet async throws in
            let errors = try await Self.logIns(signet)
            #expect(errors.isEmpty, "\(errors.count) of 160")
        }
    }

    @Test func reloadsEachQuarterOfASecondFailNoLogIn() async throws {
        let server = try LoopbackServer { _ in .answer(Platform.user) }
        let certificate = try LoopbackCertificate()
        let nginx = try await Nginx(before: server.url, "", certificate: certificate, reloading: "0.25")
        try await Self.withRuntime(at: "https://localhost:\(nginx.port)", trusting: certificate) {
            signet async throws in
            let errors = try await Self.logIns(signet, rounds: 30)
            #expect(errors.isEmpty, "\(errors.count) of 480")
        }
    }

    @Test func idleConnectionsThatEndWhenTheNextRequestComesFailNoLogIn() async throws {
        let server = try LoopbackServer { _ in .answer(Platform.user) }
        let nginx = try await Nginx(before: server.url, "keepalive_timeout 22ms;")
        let clock = ContinuousClock()
        try await Self.withRuntime(at: "http://127.0.0.1:\(nginx.port)") { signet async throws in
            let visitor = try await signet.open("v", identify: .none)
            var errors: [String] = []
            for number in 0..<400 {
                // The pause is the case: the connection ends when the request is on its way.
                try await clock.sleep(for: .milliseconds(20 + number % 2))
                do throws(SignetError) {
                    _ = try await visitor.login([.customerID: "c-\(number)"])
                } catch {
                    errors.append("\(error)")
                }
            }
            #expect(errors.isEmpty, "\(errors.count) of 400")
        }
    }
}
#endif
