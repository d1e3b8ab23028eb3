// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER && SIGNET_URL_SESSION && SIGNET_ASYNC_HTTP_CLIENT
import Signet
import SignetEmulator
import SignetServer
import SignetTestSupport
import SignetTransport
import Testing

/// The transports that Signet ships, against the real server, in good faults and in bad.
@Suite(.watched) struct ShippedTransportTests {
    enum Kind: CaseIterable, Sendable {
        case urlSession
        case asyncHTTPClient

        func make() -> any Transport {
            switch self {
            case .urlSession: URLSessionTransport()
            case .asyncHTTPClient: AsyncHTTPClientTransport()
            }
        }
    }

    private static func emulator() -> Emulator {
        Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
    }

    private static func identify(_ url: String, timeout: Duration = .seconds(30)) -> TransportRequest {
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "application/json")
        headers.append(name: Requests.basic.0, value: Requests.basic.1)
        return TransportRequest(
            method: .post,
            url: url + "/v1/identify",
            headers: headers,
            body: Array(Requests.identity("c1").utf8),
            timeout: timeout
        )
    }

    @Test(arguments: Kind.allCases) func everyPathAnswersAsInTheProcess(kind: Kind) async throws {
        let (served, direct, transport) = (Self.emulator(), Self.emulator(), kind.make())
        try await EmulatorServer(served).serve { url async throws in
            for request in Requests.all {
                var headers = HTTPHeaders()
                for (name, value) in request.headers { headers.append(name: name, value: value) }
                func made(_ base: String) -> TransportRequest {
                    TransportRequest(
                        method: request.method,
                        url: base + request.path,
                        headers: headers,
                        body: Array(request.body.utf8)
                    )
                }
                let answer = try await transport.send(made(url))
                let expected = await direct.handle(made("https://platform.example"))
                #expect(answer.status == expected.status, "\(request.path)")
                #expect((200...299).contains(answer.status), "\(request.path)")
                #expect(answer.headers["Content-Type"] == expected.headers["Content-Type"], "\(request.path)")
            }
        }
        #expect(served.requestCounts() == direct.requestCounts())
    }

    private static let storms: [(fault: FaultInjector.Fault, code: TransportError.Code)] = [
        (.hugeAnswer, .responseTooLarge), (.connectionRefused, .notConnected), (.replyLost, .notConnected),
        (.timeout, .timedOut), (.delay(.seconds(3600)), .timedOut),
    ]

    @Test(arguments: Kind.allCases, storms.indices) func badFaultsAreAnError(kind: Kind, storm: Int) async throws {
        let (emulator, transport) = (Self.emulator(), kind.make())
        let (fault, code) = Self.storms[storm]
        let isSlow = code == .timedOut
        // On a machine that is busy enough, the time is over before the request has met its faults, which stays, then.
        if isSlow {
            emulator.faults.injectAlways(fault, on: .identify)
        } else {
            emulator.faults.inject(fault, on: .identify)
        }
        try await EmulatorServer(emulator).serve { url async throws in
            let request = Self.identify(url, timeout: isSlow ? .milliseconds(300) : .seconds(30))
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == code, "\(fault): \(String(describing: error))")
            if isSlow { emulator.faults.clear() }
            // It is over, and the transport is as good as before.
            #expect(try await transport.send(Self.identify(url)).status == 200)
        }
    }

    @Test(arguments: Kind.allCases) func aFaultThatIsAnAnswerIsOne(kind: Kind) async throws {
        let (emulator, transport) = (Self.emulator(), kind.make())
        emulator.faults.inject(.status(429, retryAfter: .seconds(7)), on: .identify)
        emulator.faults.inject(.garbage(Array("<html>".utf8)), on: .identify)
        emulator.faults.inject(.truncated, on: .identify)
        emulator.faults.inject(.status(204), on: .identify)
        try await EmulatorServer(emulator).serve { url async throws in
            let asked = try await transport.send(Self.identify(url))
            #expect(asked.status == 429 && asked.headers["Retry-After"] == "7")
            #expect(try await transport.send(Self.identify(url)).body == Array("<html>".utf8))
            let cut = try await transport.send(Self.identify(url))
            #expect(throws: JSONError.self) { try JSONReader.read(cut.body) }
            #expect(try await transport.send(Self.identify(url)).status == 204)
            #expect(try await transport.send(Self.identify(url)).status == 200)
        }
    }
}
#endif
