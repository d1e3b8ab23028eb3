// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Whom a 429 of an identity call stops (design, law 3).
@Suite(.watched) struct ThrottledVisitorTests {
    private static func throttled(_ seconds: Int, kind: String? = nil) -> FaultInjector.Fault {
        var response = TransportResponse(status: 429)
        response.headers.append(name: "Retry-After", value: "\(seconds)")
        if let kind { response.headers.append(name: "X-mp-rate-limit-exceeded", value: kind) }
        return .answer(response)
    }

    @Test func aThrottledVisitorKeepsNobodyElseFromLoggingIn() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let one = try await signet.runtime.open("one", identify: .none)
            let two = try await signet.runtime.open("two", identify: .none)
            signet.emulator.faults.inject(Self.throttled(600, kind: "workspace"), on: .login)
            #expect(await NetworkCall.login.failure(on: one)?.retryAfter == .seconds(600))
            #expect(await NetworkCall.login.code(on: two) == nil)
            signet.clock.advance(by: .seconds(599))
            let again = await NetworkCall.login.failure(on: one)
            #expect(again?.code == .throttled)
            #expect(again?.retryAfter == .seconds(1))
            #expect(signet.transport.identityEndpoints == ["login", "login"])
            signet.clock.advance(by: .seconds(1))
            #expect(await NetworkCall.login.code(on: one) == nil)
        }
    }

    @Test func threeThrottledVisitorsWithinTenSecondsStopTheWorkspace() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let other = try await signet.runtime.open("other", identify: .none)
            for name in ["one", "two", "three"] {
                #expect(await NetworkCall.identify.code(on: other) == nil, "before \(name)")
                signet.emulator.faults.inject(Self.throttled(60), on: .login)
                let visitor = try await signet.runtime.open(InstallationID(name), identify: .none)
                #expect(await NetworkCall.login.code(on: visitor) == .throttled)
                signet.clock.advance(by: .seconds(5))
            }
            let sent = signet.transport.identityEndpoints.count
            for call in NetworkCall.allCases where call != .identified && call != .modify {
                let failure = await call.failure(on: other)
                #expect(failure?.code == .throttled, "\(call)")
                #expect(failure?.retryAfter == .seconds(55), "\(call)")
            }
            #expect(signet.transport.identityEndpoints.count == sent)
            signet.clock.advance(by: .seconds(55))
            #expect(await NetworkCall.login.code(on: other) == nil)
        }
    }

    @Test func threeThrottledVisitorsOverALongerTimeAreThreeVisitors() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            for name in ["one", "two", "three"] {
                signet.emulator.faults.inject(Self.throttled(600), on: .login)
                let visitor = try await signet.runtime.open(InstallationID(name), identify: .none)
                #expect(await NetworkCall.login.code(on: visitor) == .throttled)
                signet.clock.advance(by: .seconds(6))
            }
            let other = try await signet.runtime.open("other", identify: .none)
            #expect(await NetworkCall.login.code(on: other) == nil)
        }
    }

    @Test func aLimitOfAccelerationIsToldAndStopsNobody() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            for name in ["one", "two", "three"] {
                signet.emulator.faults.inject(Self.throttled(600, kind: "acceleration"), on: .login)
                let visitor = try await signet.runtime.open(InstallationID(name), identify: .none)
                #expect(await NetworkCall.login.failure(on: visitor)?.retryAfter == .seconds(600))
                #expect(await NetworkCall.login.code(on: visitor) == nil)
            }
        }
    }
}
