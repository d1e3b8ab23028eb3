// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// What a caller is told of each way in which an exchange can fail (facts of the vendor, error mapping), through the
/// runtime and the faults of the emulator.
@Suite(.watched) struct IdentityManagerErrorsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let fault: FaultInjector.Fault
        let code: SignetError.Code
        var status: Int?

        var testDescription: String {
            "\(self.fault)"
        }
    }

    private static func answer(
        _ status: Int,
        _ body: String = "",
        headers: [(String, String)] = []
    ) -> FaultInjector.Fault {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.append(name: name, value: value) }
        return .answer(TransportResponse(status: status, headers: fields, body: Array(body.utf8)))
    }

    static let rows: [Row] = [
        // The way.
        Row(fault: .connectionRefused, code: .notConnected),
        Row(fault: .replyLost, code: .notConnected),
        Row(fault: .failure(TransportError(.notConnected, "offline")), code: .notConnected),
        Row(fault: .failure(TransportError(.timedOut, "no answer")), code: .timedOut),
        Row(fault: .failure(TransportError(.secureConnectionFailed, "TLS")), code: .secureConnectionFailed),
        Row(fault: .failure(TransportError(.badResponse, "no HTTP")), code: .unexpectedAnswer),
        Row(fault: .failure(TransportError(.other, "?")), code: .transportFailed),
        Row(fault: .hugeAnswer, code: .unexpectedAnswer),
        // Statuses.
        Row(fault: .status(400), code: .rejected, status: 400),
        Row(fault: .status(401), code: .unauthorized, status: 401),
        Row(fault: .status(403), code: .unauthorized, status: 403),
        Row(fault: .status(404), code: .rejected, status: 404),
        Row(fault: .status(422), code: .rejected, status: 422),
        Row(fault: .status(429), code: .throttled, status: 429),
        Row(fault: .status(500), code: .serverFailure, status: 500),
        Row(fault: .status(502), code: .serverFailure, status: 502),
        Row(fault: .status(503), code: .serverFailure, status: 503),
        Row(fault: .status(504), code: .serverFailure, status: 504),
        Row(
            fault: Self.answer(301, headers: [("Location", "https://elsewhere.example")]),
            code: .unexpectedAnswer,
            status: 301
        ),
        Row(fault: Self.answer(0), code: .unexpectedAnswer, status: 0),
        Row(fault: Self.answer(999), code: .unexpectedAnswer, status: 999),
        // Bodies of a success that are none.
        Row(fault: .truncated, code: .unexpectedAnswer),
        Row(fault: Self.answer(200), code: .unexpectedAnswer),
        Row(fault: Self.answer(202, "Accepted"), code: .unexpectedAnswer),
        Row(fault: Self.answer(200, "<html>Welcome to the hotel</html>"), code: .unexpectedAnswer),
        Row(fault: .garbage([0xFF, 0xFE, 0x00]), code: .unexpectedAnswer),
        Row(fault: .garbage(Array("{}".utf8)), code: .unexpectedAnswer),
        Row(fault: .garbage(Array("[]".utf8)), code: .unexpectedAnswer),
        Row(fault: .garbage(Array(#"{"mpid":"0"}"#.utf8)), code: .unexpectedAnswer),
        Row(fault: .garbage(Array(#"{"mpid":"9223372036854775808"}"#.utf8)), code: .unexpectedAnswer),
        Row(fault: .garbage(Array(#"{"mpid":1.5}"#.utf8)), code: .unexpectedAnswer),
        Row(fault: .garbage(Array(#"{"mpid":"1","mpid":"2"}"#.utf8)), code: .unexpectedAnswer),
        Row(fault: .garbage([UInt8](repeating: UInt8(ascii: "["), count: 100_000)), code: .unexpectedAnswer),
        Row(fault: .garbage([UInt8](repeating: UInt8(ascii: " "), count: 256 * 1024 + 1)), code: .unexpectedAnswer),
    ]

    @Test(arguments: Self.rows) func theCallerIsToldWhatHappened(row: Row) async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(row.fault, on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let before = installation.currentUser?.mpid
            let error = try #require(await NetworkCall.login.failure(on: installation))
            #expect(error.code == row.code)
            #expect(error.httpStatus == row.status)
            #expect(installation.currentUser?.mpid == before)
            #expect(await NetworkCall.identify.code(on: installation) == nil)
        }
    }

    @Test func noAnswerInTimeIsATimeOutAndFreesTheSlot() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.timeout, on: .login)
        try await known.next { $0.identity.requestTimeout = .seconds(4) }.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let code = NetworkCall.login.code(on: installation)
            await known.clock.untilNextSleeper(isDueIn: .seconds(4))
            // The limit may run before the request has met its faults, which would be left for the next one.
            await until("the request meets its faults") { known.platform.faults.remaining == 0 }
            known.clock.advance(by: .seconds(4))
            #expect(await code == .timedOut)
            #expect(await NetworkCall.login.code(on: installation) == nil)
        }
    }

    @Test func whatThePlatformSaysReachesTheCallerInBothShapes() async throws {
        let known = try await KnownInstallation()
        let said =
            #"{"errors":[{"code":"LOOKUP_ERROR","message":"No login identity."},{"code":"SECOND","message":""}]}"#
        known.platform.faults.inject(Self.answer(400, said), on: .login)
        known.platform.faults.inject(Self.answer(500, #"{"code":"FLAT","message":"Down."}"#), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let first = await NetworkCall.login.failure(on: installation)
            #expect(
                first?.errors == [
                    PlatformError(code: "LOOKUP_ERROR", message: "No login identity."),
                    PlatformError(code: "SECOND", message: ""),
                ]
            )
            #expect(first?.description.contains("LOOKUP_ERROR") == true)
            let second = await NetworkCall.login.failure(on: installation)
            #expect(second?.errors == [PlatformError(code: "FLAT", message: "Down.")])
        }
    }

    @Test func theEmulatorsOwnRefusalsReachTheCaller() async throws {
        let known = try await KnownInstallation(emulator: EmulatorConfiguration(strategy: .isolation))
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let error = await failure { () async throws(SignetError) in _ = try await installation.login([.other: "o"])
            }
            #expect(error?.code == .rejected)
            #expect(error?.errors.first?.code == "LOOKUP_ERROR")
        }
    }

    @Test func aSearchThatFindsNobodyIsAResult() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            #expect(try await installation.search([.customerID: "stranger"]) == .notFound)
            let current = try #require(installation.currentUser)
            guard case .found(let match) = try await installation.search([.customerID: "c-1"]) else {
                Issue.record("The platform knows c-1.")
                return
            }
            #expect(match.mpid == current.mpid)
            #expect(match.isLoggedIn)
            #expect(signet.emulator.users().count == 1)
        }
    }

    @Test func noErrorRepeatsWhatThePersonIsCalled() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(400), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let error = try #require(
                await failure { () async throws(SignetError) in
                    _ = try await installation.login([.email: "jane.doe@example.com"])
                }
            )
            #expect(!"\(error)".contains("jane"))
            #expect(!"\(error)".contains("emulated-secret"))
        }
    }
}
