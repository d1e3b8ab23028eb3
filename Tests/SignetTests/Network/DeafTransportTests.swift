// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// A transport that does not hear its cancellation outlasts no limit.
@Suite(.watched) struct DeafTransportTests {
    /// Passes requests on; those of an endpoint wait until they are let go, cancelled or not.
    private final class DeafTransport: Transport {
        private let platform: RecordingTransport
        private let endpoint: String
        let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

        init(_ platform: Emulator, to endpoint: String) {
            self.platform = RecordingTransport(platform)
            self.endpoint = endpoint
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            if request.url.hasSuffix(self.endpoint) {
                await withCheckedContinuation { continuation in self.waiting.withLock { $0.append(continuation) } }
            }
            return try await self.platform.send(request)
        }

        func letGo() {
            for continuation in self.waiting.withLock({ $0 }) { continuation.resume() }
        }
    }

    @Test func neitherALoginNorTheShutdownWaitsForIt() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
        let transport = DeafTransport(platform, to: "/login")
        var configuration = SignetConfiguration(
            apiKey: platform.configuration.apiKey,
            secret: platform.configuration.secret,
            directory: folder.path
        )
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.identity.requestTimeout = .seconds(1)
        let runtime = try SignetRuntime(configuration, transport: transport)
        try await runtime.runs {
            let visitor = try await runtime.open("a")
            _ = try await visitor.initialIdentifyResult()
            let code = Locked<SignetError.Code?>(nil)
            async let login: Void = {
                do throws(SignetError) {
                    try await visitor.login([.customerID: "ann"])
                } catch {
                    code.withLock { $0 = error.code }
                }
            }()
            await until("the login is on the wire") { transport.waiting.withLock { !$0.isEmpty } }
            await until("the login has ended") {
                clock.advance(by: .milliseconds(500))
                return code.withLock { $0 != nil }
            }
            await login
            #expect(code.withLock { $0 } == .timedOut)
        }
        // The runtime has ended, and the request has not.
        #expect(transport.waiting.withLock { $0.count } == 1)
        transport.letGo()
    }

    /// Answers when it is cancelled, as if the answer had come together with the limit.
    private final class LateTransport: Transport {
        let platform: RecordingTransport
        let hasBegun = Promise<Void>()
        let isCancelled = Locked(false)

        init(_ platform: Emulator) {
            self.platform = RecordingTransport(platform)
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            guard request.url.hasSuffix("/login") else { return try await self.platform.send(request) }
            self.hasBegun.resolve(())
            _ = await Promise<Void>().value()
            self.isCancelled.withLock { $0 = true }
            let platform = self.platform
            let answer = await Task {
                do throws(TransportError) {
                    return Result<TransportResponse, TransportError>.success(try await platform.send(request))
                } catch {
                    return .failure(error)
                }
            }.value
            return try answer.get()
        }
    }

    @Test func anAnswerThatComesTogetherWithTheLimitCounts() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
        let transport = LateTransport(platform)
        var configuration = SignetConfiguration(
            apiKey: platform.configuration.apiKey,
            secret: platform.configuration.secret,
            directory: folder.path
        )
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.identity.requestTimeout = .seconds(1)
        let runtime = try SignetRuntime(configuration, transport: transport)
        try await runtime.runs {
            let visitor = try await runtime.open("a")
            _ = try await visitor.initialIdentifyResult()
            let outcome = Locked<Result<Bool, SignetError>?>(nil)
            async let login: Void = {
                do throws(SignetError) {
                    let result = try await visitor.login([.customerID: "ann"])
                    outcome.withLock { $0 = .success(result.user.isLoggedIn) }
                } catch {
                    outcome.withLock { $0 = .failure(error) }
                }
            }()
            _ = await transport.hasBegun.value()
            await until("the login has ended") {
                if !transport.isCancelled.withLock({ $0 }) { clock.advance(by: .milliseconds(500)) }
                return outcome.withLock { $0 != nil }
            }
            await login
            #expect(try outcome.withLock { $0 }?.get() == true)
        }
    }
}
