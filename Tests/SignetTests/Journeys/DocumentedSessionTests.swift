// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What is documented of sessions and had no test of its own.
@Suite(.watched) struct DocumentedSessionTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func with(
        _ mode: SignetConfiguration.Sessions.Mode,
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (EmulatedSignet, Installation) async throws -> Void
    ) async throws {
        try await withEmulatedSignet(
            in: self.folder.path,
            configure: {
                $0.sessions.mode = mode
                configure(&$0)
            }
        ) { signet in
            let app = try await signet.runtime.open("app")
            _ = try await app.initialIdentifyResult()
            try await body(signet, app)
        }
    }

    /// One of each sort: whether it begins a session in an app.
    static let events: [(event: Event, inAnApp: Bool)] = [
        (.custom("c"), true), (.purchase(Purchase(transactionID: "t", total: 1)), true),
        (.commerce(.promotions(.view, [Promotion(id: "p")])), true), (.screen("s"), false),
        (.crash(CrashReport(message: "boom")), false),
        (.networkPerformance(NetworkPerformance(url: "https://x.example", responseCode: 200)), false),
    ]

    @Test func inAnAppCustomAndCommerceEventsBeginASessionAndOthersDoNot() async throws {
        try await self.with(.application) { _, app in
            #expect(app.currentSession != nil)
            for (event, begins) in Self.events {
                try await app.endSession()
                try app.log(event)
                #expect((app.currentSession != nil) == begins, "\(event)")
            }
            try await app.endSession()
            try app.leaveBreadcrumb("here")
            try await app.setAttribute("gold", for: "tier")
            #expect(app.currentSession == nil)
            try app.enterBackground()
            try app.enterForeground()
            #expect(app.currentSession != nil)
        }
    }

    @Test func onAServerAnyEventBeginsASession() async throws {
        try await self.with(.server) { _, visitor in
            for (event, _) in Self.events {
                try await visitor.endSession()
                try visitor.log(event)
                #expect(visitor.currentSession != nil, "\(event)")
            }
        }
    }

    @Test func anEventInTheBackgroundBeginsTheTimeAnew() async throws {
        try await self.with(.application) { signet, app in
            var changes = app.sessionChanges().makeAsyncIterator()
            let session = app.currentSession
            try app.enterBackground()
            for _ in 0..<3 {
                signet.clock.advance(by: .seconds(59))
                try app.log(.custom("pushed"))
                #expect(app.currentSession == session)
            }
            signet.clock.advance(by: .seconds(59))
            #expect(app.currentSession == session)
            signet.clock.advance(by: .seconds(1))
            let ended = await changes.nextFact()
            #expect(ended?.session == session)
            #expect(ended?.endLength == .seconds(3 * 59))
        }
    }

    @Test func theTimeoutIsAMinuteAtLeastASecondAndAsLongAsOneLikes() async throws {
        let error = #expect(throws: SignetError.self) {
            try EmulatedSignet(in: self.folder.path) { $0.sessions.timeout = .milliseconds(999) }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("sessions.timeout") == true)
        for (timeout, seconds) in [(nil, 60), (1, 1), (3600, 3600)] as [(Int?, Int)] {
            try await self.with(
                .application,
                configure: { configuration in timeout.map { configuration.sessions.timeout = .seconds($0) } }
            ) { signet, app in
                let session = app.currentSession
                try app.enterBackground()
                signet.clock.advance(by: .seconds(seconds) - .milliseconds(1))
                try app.enterForeground()
                #expect(app.currentSession == session)
                try app.enterBackground()
                signet.clock.advance(by: .seconds(seconds))
                try app.enterForeground()
                #expect(app.currentSession != session)
            }
        }
    }

    enum End: CaseIterable { case call, timeout, background, kill }

    /// In the vendors' SDKs an end by the app waits for the interval, which is ten minutes.
    @Test(arguments: End.allCases) func everyKindOfEndIsUploadedWithinASecond(end: End) async throws {
        let mode: SignetConfiguration.Sessions.Mode = end == .background ? .application : .server
        try await self.with(mode) { signet, app in
            try await signet.runtime.upload()
            let session = try #require(app.currentSession)
            let before = signet.transport.exchanges.count
            func isThere() -> Bool {
                signet.emulator.events(of: app.currentUser?.mpid ?? IdentityFixture.mpid(404))
                    .contains { $0.type == "session_end" && $0.sessionID == session.id }
            }
            var changes = signet.runtime.sessionChanges().makeAsyncIterator()
            switch end {
            case .call:
                try await app.endSession()
            case .timeout:
                signet.clock.advance(by: .seconds(60))
            case .background:
                try app.enterBackground()
                signet.clock.advance(by: .seconds(60))
            case .kill:
                signet.runtime.evict("app")
                signet.clock.advance(by: .seconds(60))
                _ = try await signet.runtime.open("app", identify: .none)
            }
            while await changes.nextFact()?.session != session {}
            await signet.takeIn()
            #expect(!isThere())
            #expect(signet.transport.exchanges.count == before)
            signet.clock.advance(by: .seconds(1))
            await until("the end is at the platform") { isThere() }
        }
    }

    @Test func aTimeoutAnEndAndAShutdownAtOnceEndASessionOnce() async throws {
        for round in 0..<TestScale.count(quick: 20, full: 200) {
            let signet = try EmulatedSignet(in: self.folder.path + "/\(round)")
            let mpid = try await signet.run { signet in
                let visitor = try await signet.runtime.open("v")
                let mpid = try await visitor.initialIdentifyResult().user.mpid
                signet.clock.advance(by: .seconds(60))
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { _ = await code { () async throws(SignetError) in try await visitor.endSession() } }
                    group.addTask { visitor.logIfPossible(.custom("x")) }
                    group.addTask { await signet.runtime.shutdown() }
                }
                return mpid
            }
            let types = signet.emulator.events(of: mpid).filter { $0.type.hasPrefix("session_") }
            let ends = types.filter { $0.type == "session_end" }.map(\.sessionID)
            let begins = types.filter { $0.type == "session_start" }.map(\.sessionID)
            #expect(Set(ends).count == ends.count, "round \(round)")
            #expect(ends.contains(begins.first ?? nil), "round \(round)")
        }
    }
}
