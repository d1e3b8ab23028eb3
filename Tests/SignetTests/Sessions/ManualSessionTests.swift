// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Sessions that the app begins and ends by itself, and what it says of them.
@Suite struct ManualSessionTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func manual(
        beginsAtOpen: Bool = true,
        _ body: (EmulatedSignet, Installation) async throws -> Void
    ) async throws {
        let configure: (inout SignetConfiguration) -> Void = {
            $0.sessions.mode = .application
            $0.sessions.tracking = .manual
            $0.sessions.beginsAtOpen = beginsAtOpen
        }
        try await withEmulatedSignet(in: self.folder.path, configure: configure) { signet in
            try await body(signet, try await signet.runtime.open("app", identify: .none))
        }
    }

    @Test func anOpenBeginsOneUnlessItIsToldNotTo() async throws {
        try await self.manual { #expect($1.currentSession != nil) }
        try await self.manual(beginsAtOpen: false) { #expect($1.currentSession == nil) }
    }

    @Test func beginAndEndAreIdempotent() async throws {
        try await self.manual(beginsAtOpen: false) { signet, app in
            try await app.endSession()
            try await app.beginSession()
            let session = app.currentSession
            signet.clock.advance(by: .seconds(3))
            try await app.beginSession()
            #expect(app.currentSession == session)
            var changes = app.sessionChanges().makeAsyncIterator()
            try await app.endSession()
            try await app.endSession()
            let ended = await changes.nextFact()
            #expect(ended?.endLength == .seconds(3))
            #expect(ended?.endReason == .app)
            try await app.beginSession()
            #expect(await changes.nextFact()?.session == app.currentSession)
        }
    }

    @Test func noSessionTimesOutOrBeginsAtForeground() async throws {
        try await self.manual { signet, app in
            let session = app.currentSession
            try app.enterBackground()
            signet.clock.advance(by: .seconds(86_400))
            try app.enterForeground()
            #expect(app.currentSession == session)
            try await app.endSession()
            try app.enterBackground()
            try app.enterForeground()
            #expect(app.currentSession == nil)
        }
    }

    @Test func customAndCommerceEventsBeginOneAndOthersDoNot() async throws {
        try await self.manual(beginsAtOpen: false) { _, app in
            try app.log(.screen("s"))
            #expect(app.currentSession == nil)
            try app.log(.custom("c"))
            #expect(app.currentSession != nil)
        }
    }

    @Test func anEndIsToldAheadOfItself() async throws {
        try await self.manual { _, app in
            var changes = app.sessionChanges().makeAsyncIterator()
            try app.log(.custom("x"))
            try await app.endSession()
            let first = try #require(await changes.next(isolation: nil))
            let second = try #require(await changes.next(isolation: nil))
            guard case .willEnd(let early) = first.kind, case .ended(let late) = second.kind else {
                return #expect(Bool(false), "\(first), \(second)")
            }
            #expect(early == late)
            // The first run, the launch, and the one that was logged.
            #expect(early.eventCount == 3)
            #expect(first.session == second.session)
        }
    }

    // MARK: - Attributes

    @Test func attributesNeedASessionAndKeepToTheLimits() async throws {
        try await self.manual(beginsAtOpen: false) { _, app in
            #expect(
                await code { () async throws(SignetError) in try await app.setSessionAttribute(1, for: "a") }
                    == .noSession
            )
            try await app.beginSession()
            for (name, value) in [
                ("", AttributeValue.integer(1)), (String(repeating: "k", count: 257), 1), ("k", .double(.nan)),
                ("k", .string(String(repeating: "v", count: 4097))), ("k", .list(["a"])), ("k", .null),
            ] {
                let refused = await code { () async throws(SignetError) in
                    try await app.setSessionAttribute(value, for: name)
                }
                #expect(refused == .invalidArgument, "\(name.prefix(5))")
            }
            for number in 0..<90 { try await app.setSessionAttribute(.integer(1), for: "a\(number)") }
            #expect(
                await code { () async throws(SignetError) in try await app.setSessionAttribute(1, for: "b") }
                    == .invalidArgument
            )
            try await app.setSessionAttribute(nil, for: "A0")
            try await app.setSessionAttribute(1, for: "b")
            #expect(app.sessionSummary?.attributes.count == 90)
        }
    }

    @Test func anIncrementRefusesWhatIsNoNumberOrTooGreat() async throws {
        try await self.manual { _, app in
            try await app.setSessionAttribute("text", for: "t")
            await #expect(throws: SignetError.self) { try await app.incrementSessionAttribute("t") }
            try await app.setSessionAttribute(.integer(.max), for: "n")
            await #expect(throws: SignetError.self) { try await app.incrementSessionAttribute("n") }
            #expect(app.sessionSummary?.attributes["n"] == .integer(.max))
            try await app.setSessionAttribute(.double(0.5), for: "d")
            #expect(try await app.incrementSessionAttribute("D", by: 2) == .double(2.5))
        }
    }

    @Test func anIncrementIsDecimal() async throws {
        try await self.manual { _, app in
            let first = try await app.incrementSessionAttribute("spent", by: 0.1)
            #expect(first == .double(0.1))
            #expect(try await app.incrementSessionAttribute("spent", by: 0.2) == .double(0.3))
            #expect(try await app.incrementSessionAttribute("Spent", by: .double(-0.3)) == .double(0))
            #expect(try await app.incrementSessionAttribute("count", by: 1) == .integer(1))
            #expect(try await app.incrementSessionAttribute("count", by: 0.5) == .double(1.5))
            for amount in [AttributeValue.string("1"), .bool(true), .null, .double(.nan), .double(.infinity)] {
                let error = await #expect(throws: SignetError.self) {
                    try await app.incrementSessionAttribute("count", by: amount)
                }
                #expect(error?.code == .invalidArgument)
            }
            #expect(app.sessionSummary?.attributes == ["spent": .double(0), "count": .double(1.5)])
        }
    }

    @Test func attributesEndWithTheirSession() async throws {
        try await self.manual { _, app in
            try await app.setSessionAttribute(1, for: "a")
            try await app.endSession()
            try await app.beginSession()
            #expect(app.sessionSummary?.attributes == [:])
        }
    }

    @Test func allThatIsSaidOfASessionFitsIntoItsEnd() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v")
            let mpid = try await visitor.initialIdentifyResult().user.mpid
            var accepted = 0
            for number in 0..<TestScale.count(quick: 30, full: 90) {
                do throws(SignetError) {
                    let text = String(repeating: "\u{4e00}", count: 4096)
                    try await visitor.setSessionAttribute(.string(text), for: "a\(number)")
                    accepted += 1
                } catch {
                    #expect(error.code == .invalidArgument)
                }
            }
            #expect(accepted >= 4 && accepted < TestScale.count(quick: 30, full: 90))
            #expect(visitor.sessionSummary?.attributes.count == accepted)
            try await visitor.endSession()
            try await signet.runtime.upload()
            let end = try #require(signet.emulator.events(of: mpid).first { $0.type == "session_end" })
            #expect(end.data["custom_attributes"]?["a0"] != nil)
            #expect(signet.runtime.statistics.eventsDeadLettered == 0)
        }
    }

    @Test(arguments: ["$EventCount", "$eventcount", "$ForegroundTimeMs", "$SessionMPIDs"])
    func whatTheEndSaysByItselfIsNoNameForAnAttribute(name: String) async throws {
        try await self.manual { _, app in
            await #expect(throws: SignetError.self) { try await app.setSessionAttribute(1, for: name) }
            await #expect(throws: SignetError.self) { try await app.incrementSessionAttribute(name) }
            try await app.setSessionAttribute(nil, for: name)
            #expect(app.sessionSummary?.attributes == [:])
        }
    }

    // MARK: - The timeout

    @Test func nothingIsSaidOfASessionWhoseTimeIsOver() async throws {
        // Nobody runs the runtime: the end is not found yet.
        let signet = try EmulatedSignet(in: self.folder.path)
        let visitor = try await signet.runtime.open("v", identify: .none)
        try await visitor.setSessionAttribute(1, for: "a")
        signet.clock.advance(by: .seconds(60))
        await #expect(throws: SignetError.self) { try await visitor.setSessionAttribute(2, for: "a") }
        var changes = visitor.sessionChanges().makeAsyncIterator()
        try visitor.log(.custom("x"))
        guard case .ended(let summary) = await changes.nextFact()?.kind else { return #expect(Bool(false)) }
        #expect(summary.attributes == ["a": 1])
        await signet.runtime.shutdown()
    }

    @Test func theTimeoutMayChangeWhileSessionsAreOpen() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            var changes = visitor.sessionChanges().makeAsyncIterator()
            #expect(throws: SignetError.self) { try signet.runtime.setSessionTimeout(.milliseconds(999)) }
            #expect(signet.runtime.sessionTimeout == .seconds(60))
            try signet.runtime.setSessionTimeout(.seconds(Int64.max))
            signet.clock.advance(by: .seconds(100_000_000))
            #expect(visitor.currentSession != nil)
            try signet.runtime.setSessionTimeout(.seconds(1))
            #expect(await changes.nextFact()?.isEnd == true)
        }
    }

    @Test(.watched) func aShorterTimeoutEndsTheSessionsWhoseTimeIsOverByIt() async throws {
        try await withEmulatedSignet(in: self.folder.path, configure: { $0.sessions.timeout = .seconds(86_400) }) {
            signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            var changes = visitor.sessionChanges().makeAsyncIterator()
            signet.clock.advance(by: .seconds(100))
            try signet.runtime.setSessionTimeout(.seconds(1))
            #expect(await changes.nextFact()?.isEnd == true)
        }
    }
}
