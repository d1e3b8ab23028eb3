// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// The tables of errors of MigrateFromMParticle.md: the article has these rows, and a login fails as they say.
@Suite(.watched) struct DocumentedErrorsTests {
    /// A row of the table of statuses.
    struct StatusRow: Sendable, CustomTestStringConvertible {
        let cell: String
        let statuses: [Int]
        let code: SignetError.Code

        var testDescription: String { self.cell }
    }

    /// A row of the table of `MPIdentityErrorResponseCode`.
    enum VendorCode: Int, CaseIterable, Sendable {
        case requestInProgress = 1
        case clientSideTimeout, clientNoConnection, sslError, optOut

        /// The codes that the article names.
        var codes: [SignetError.Code] {
            switch self {
            case .requestInProgress: [.requestInProgress]
            // That a request without a turn is `notSent` is a test of its own: see ID-71.
            case .clientSideTimeout: [.timedOut, .notSent]
            case .clientNoConnection: [.notConnected]
            case .sslError: [.secureConnectionFailed]
            case .optOut: [.optedOut]
            }
        }
    }

    private static let named = [401, 403, 408, 425, 429]

    static let rows = [
        StatusRow(cell: "401 (`unauthorized`), 403", statuses: [401, 403], code: .unauthorized),
        StatusRow(cell: "429 (`retry`)", statuses: [429], code: .throttled),
        StatusRow(
            cell: "408, 425, 500 to 599 (`internalServerError` 500, `badGateway` 502, `timeout` 504)",
            statuses: [408, 425] + (500...599),
            code: .serverFailure
        ),
        StatusRow(cell: "any other 4xx", statuses: (400...499).filter { !Self.named.contains($0) }, code: .rejected),
        StatusRow(
            cell: "1xx, 3xx, or a 2xx that cannot be read",
            statuses: Array(100...399),
            code: .unexpectedAnswer
        ),
    ]

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    private static func article() throws -> String {
        try Self.text("Sources/Signet/Signet.docc/MigrateFromMParticle.md")
    }

    /// The first two cells of each row of a table of the article.
    private static func table(_ header: String) throws -> [(first: String, second: String)] {
        let lines = try Self.article().split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| \(header)") })
        return lines.dropFirst(start + 2).prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells.first ?? "", cells.dropFirst().first ?? "")
        }
    }

    /// The codes among the names between backticks.
    private static func codes(in cell: String) throws -> [SignetError.Code] {
        let source = try Self.text("Sources/Signet/Reporting/SignetError+Code.swift")
        let known = Set(source.matches(of: /public static let \w+ = Code\("(\w+)"\)/).map { String($0.output.1) })
        #expect(known.count > 30)
        return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 && known.contains(String($0.element)) }
            .map { SignetError.Code(String($0.element)) }
    }

    @Test func theArticleHasTheTableOfStatuses() throws {
        let table = try Self.table("HTTP status")
        #expect(table.map(\.first) == Self.rows.map(\.cell))
        for (row, cells) in zip(Self.rows, table) {
            #expect(try Self.codes(in: cells.second).first == row.code, "\(row.cell)")
        }
        #expect(Self.rows.flatMap(\.statuses).sorted() == Array(100...599), "each status has one row")
    }

    @Test func theArticleHasTheTableOfTheVendorsCodes() throws {
        let table = try Self.table("`MPIdentityErrorResponseCode` (Apple)")
        #expect(table.map(\.first) == VendorCode.allCases.map { "`\($0)` (\($0.rawValue))" })
        for (row, cells) in zip(VendorCode.allCases, table) {
            #expect(try Self.codes(in: cells.second) == row.codes, "\(row)")
        }
        #expect(try Self.article().contains("An unknown error (0, or -1 of Android) is `transportFailed`."))
    }

    @Test(arguments: Self.rows) func aStatusIsTheCodeOfItsRow(row: StatusRow) async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            for status in row.statuses {
                known.platform.faults.injectAlways(.answer(TransportResponse(status: status)), on: .login)
                let error = await NetworkCall.login.failure(on: installation)
                #expect(error?.code == row.code, "\(status)")
                #expect(error?.httpStatus == ((200...299).contains(status) ? nil : status), "\(status)")
            }
            known.platform.faults.clear()
        }
    }

    @Test(arguments: VendorCode.allCases) func aFailureOfTheClientIsTheCodeOfItsRow(row: VendorCode) async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            let code = try await Self.code(of: row, on: installation, known)
            #expect(code == row.codes.first)
        }
    }

    @Test func anUnknownFailureIsThatOfTheTransport() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.failure(TransportError(.other, "?")), on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            #expect(await NetworkCall.login.code(on: installation) == .transportFailed)
        }
    }

    private static func code(
        of row: VendorCode,
        on installation: Installation,
        _ known: KnownInstallation
    ) async throws -> SignetError.Code? {
        let faults = known.platform.faults
        switch row {
        case .requestInProgress:
            let gate = EmulatorGate()
            faults.inject(.held(gate), on: .login)
            async let first = NetworkCall.login.code(on: installation)
            await gate.arrived()
            let second = await NetworkCall.identify.code(on: installation)
            gate.open()
            #expect(await first == nil)
            return second
        case .clientSideTimeout:
            faults.inject(.timeout, on: .login)
            async let code = NetworkCall.login.code(on: installation)
            await known.clock.untilNextSleeper(isDueIn: .seconds(10))
            // The limit may run before the request has met its faults, which would be left for the next one.
            await until("the request meets its faults") { faults.remaining == 0 }
            known.clock.advance(by: .seconds(10))
            return await code
        case .clientNoConnection:
            faults.injectAlways(.connectionRefused, on: .login)
        case .sslError:
            faults.injectAlways(.failure(TransportError(.secureConnectionFailed, "TLS")), on: .login)
        case .optOut:
            try await installation.setOptedOut(true)
        }
        let code = await NetworkCall.login.code(on: installation)
        faults.clear()
        return code
    }
}
