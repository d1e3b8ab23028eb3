// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet

@Suite struct SessionTimeoutTests {
    private func next(_ iterator: inout Updates<SessionChange>.AsyncIterator) async throws -> SessionChange {
        try #require(await iterator.nextFact())
    }

    @Test func aSessionEndsWhenTheTimeoutIsOverWithoutAnyCall() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            var changes = visitor.sessionChanges().makeAsyncIterator()
            let session = try #require(visitor.currentSession)
            signet.clock.advance(by: .seconds(20))
            try visitor.log(.custom("x"))
            await signet.clock.untilSomebodySleeps()
            signet.clock.advance(by: .seconds(59))
            #expect(visitor.currentSession == session)
            await signet.clock.untilSomebodySleeps()
            signet.clock.advance(by: .seconds(1))
            let ended = try await self.next(&changes)
            #expect(ended.endLength == .seconds(20))
            #expect(ended.session == session)
            #expect(visitor.currentSession == nil)
        }
    }

    @Test func theNextEventBeginsTheNextSession() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let first = visitor.currentSession
            var changes = visitor.sessionChanges().makeAsyncIterator()
            signet.clock.advance(by: .seconds(60))
            // Whether the manager or this call finds the end: once.
            try visitor.log(.custom("x"))
            #expect(try await self.next(&changes).endLength == .zero)
            let begun = try await self.next(&changes)
            #expect(begun.kind == .began)
            #expect(begun.session == visitor.currentSession)
            #expect(begun.session != first)
        }
    }

    @Test func aBeginIsToldAfterCurrentSessionShowsIt() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let changes = visitor.sessionChanges()
            // The clock waits for the reader: else the session that it is told of may have ended when it looks.
            let (looks, looked) = AsyncStream.makeStream(of: Bool.self)
            let reader = Task {
                for await change in changes where change.kind == .began {
                    looked.yield(visitor.currentSession == change.session)
                }
            }
            var answers = looks.makeAsyncIterator()
            for _ in 0..<200 {
                signet.clock.advance(by: .seconds(61))
                try visitor.log(.custom("x"))
                #expect(await answers.next() == true)
            }
            reader.cancel()
        }
    }

    @Test func inTheForegroundAnAppSessionNeverEndsAndInTheBackgroundItDoes() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, configure: { $0.sessions.mode = .application }) { signet in
            let app = try await signet.runtime.open("app", identify: .none)
            var changes = app.sessionChanges().makeAsyncIterator()
            let session = app.currentSession
            signet.clock.advance(by: .seconds(86_400))
            try app.log(.custom("x"))
            #expect(app.currentSession == session)
            try app.enterBackground()
            signet.clock.advance(by: .seconds(59))
            try app.enterForeground()
            #expect(app.currentSession == session)
            try app.enterBackground()
            await signet.clock.untilSomebodySleeps()
            signet.clock.advance(by: .seconds(60))
            #expect(try await self.next(&changes).endLength == .seconds(86_459))
            #expect(app.currentSession == nil)
            try app.enterForeground()
            #expect(try await self.next(&changes).kind == .began)
        }
    }

    @Test func jumpsOfTheWallClockChangeNoLength() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            var changes = visitor.sessionChanges().makeAsyncIterator()
            clock.advance(by: .seconds(10))
            clock.shiftWallClock(by: .seconds(-3600))
            try visitor.log(.custom("x"))
            clock.advance(by: .seconds(10))
            clock.shiftWallClock(by: .seconds(315_360_000))
            try visitor.log(.custom("y"))
            clock.advance(by: .seconds(60))
            try visitor.log(.custom("z"))
            #expect(try await self.next(&changes).endLength == .seconds(20))
            clock.advance(by: .seconds(5))
            clock.shiftWallClock(by: .seconds(-7200))
            try visitor.log(.custom("last"))
            signet.runtime.evict("v")
            // Left open by a kill, over another jump.
            clock.shiftWallClock(by: .seconds(1_000_000))
            _ = try await signet.runtime.open("v", identify: .none)
            #expect(try await self.next(&changes).kind == .began)
            #expect(try await self.next(&changes).endLength == .seconds(5))
        }
    }

    @Test func thousandsOfSessionsEndEachOnceAndEachInItsTime() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            // Each end is told twice, and the buffer of a subscriber has an end.
            let count = 500
            var changes = signet.runtime.sessionChanges().makeAsyncIterator()
            var ended: [InstallationID: Int] = [:]
            for index in 0..<count {
                _ = try await signet.runtime.open(InstallationID("v-\(index)"), identify: .none)
                #expect(try await self.next(&changes).kind == .began)
                if index.isMultiple(of: 100) { signet.clock.advance(by: .milliseconds(1)) }
            }
            signet.clock.advance(by: .seconds(61))
            for _ in 0..<count {
                let change = try await self.next(&changes)
                #expect(change.endLength == .zero)
                ended[change.installation, default: 0] += 1
            }
            #expect(ended.count == count)
        }
    }

    @Test func theSessionOfAClosedInstallationEndsAtItsTimeout() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let changes = signet.runtime.sessionChanges()
            let session = try await Self.openAndClose("v", of: signet.runtime)
            await signet.clock.untilSomebodySleeps()
            signet.clock.advance(by: .seconds(60))
            var iterator = changes.makeAsyncIterator()
            #expect(try await self.next(&iterator).kind == .began)
            let ended = try await self.next(&iterator)
            #expect(ended.endLength == .zero)
            #expect(ended.session == session)
        }
    }

    private static func openAndClose(_ id: InstallationID, of runtime: SignetRuntime) async throws -> Session? {
        let visitor = try await runtime.open(id, identify: .none)
        visitor.endLaunch()
        #expect(throws: SignetError.self) { try visitor.log(.custom("x")) }
        return visitor.currentSession
    }

    @Test func theSessionOfAClosedInstallationEndsBeforeTheNewOneBegins() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            var changes = visitor.sessionChanges().makeAsyncIterator()
            let old = visitor.currentSession
            signet.clock.advance(by: .seconds(3))
            try visitor.log(.custom("x"))
            visitor.endLaunch()
            signet.clock.advance(by: .seconds(60))
            let again = try await signet.runtime.open("v", identify: .none)
            let ended = try await self.next(&changes)
            #expect(ended.endLength == .seconds(3))
            #expect(ended.session == old)
            let begun = try await self.next(&changes)
            #expect(begun.kind == .began)
            #expect(begun.session == again.currentSession)
            #expect(throws: SignetError.self) { try visitor.log(.custom("x")) }
            signet.clock.advance(by: .seconds(60))
            try again.log(.custom("y"))
            #expect(try await self.next(&changes).session == begun.session)
        }
    }

    /// The opt-out has ended it, and the platform hears of no end.
    @Test func anOptOutEndsASessionAndNothingTimesOutAfterwards() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v")
            let mpid = try await visitor.initialIdentifyResult().user.mpid
            var changes = visitor.sessionChanges().makeAsyncIterator()
            let session = try #require(visitor.currentSession)
            signet.clock.advance(by: .seconds(5))
            try visitor.log(.custom("x"))
            try await visitor.setOptedOut(true)
            let ended = try await self.next(&changes)
            #expect(ended.session == session && ended.endReason == .optedOut)
            #expect(ended.endLength == .seconds(5))
            var hasEnded = false
            let next = visitor.core.timeOutSession(&hasEnded)
            #expect(next == nil)
            signet.clock.advance(by: .seconds(60))
            let later = visitor.core.timeOutSession(&hasEnded)
            #expect(later == nil)
            #expect(!hasEnded)
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("x"))
            #expect(try await self.next(&changes).kind == .began)
            try await signet.runtime.upload()
            #expect(!signet.emulator.events(of: mpid).contains { $0.type == "session_end" })
        }
    }

    @Test func whoComesWhenTheTimeIsOverWasNotInTheSession() async throws {
        let folder = try TemporaryFolder()
        // Nobody runs the runtime: the end is not found before the answer is.
        let signet = try EmulatedSignet(in: folder.path)
        let visitor = try await signet.runtime.open("v", identify: .none)
        let (first, second) = (try #require(MPID(rawValue: 1)), try #require(MPID(rawValue: 2)))
        func answer(_ mpid: MPID) async throws {
            let core = visitor.core
            guard case .start(let number) = core.begin(.transition(.login, IdentityRequest()), mayWait: false),
                case .send = core.send({ $0.startSending(number, now: $1) })
            else { return #expect(Bool(false), "The call does not begin.") }
            let body = #"{"mpid":"\#(mpid)","is_logged_in":true,"matched_identities":{}}"#
            let finish = try await core.take(.user(try IdentityReply(Array(body.utf8))), of: number, fencedBy: nil)
            #expect(finish?.isStateChanged == true)
            _ = core.store.update { $0.identity.settled(number) }
        }
        try await answer(first)
        signet.clock.advance(by: .seconds(60))
        try await answer(second)
        var changes = visitor.sessionChanges().makeAsyncIterator()
        try visitor.log(.custom("x"))
        let ended = try await self.next(&changes)
        guard case .ended(let summary) = ended.kind else { return #expect(Bool(false), "\(ended)") }
        #expect(summary.mpids == [first])
        #expect(ended.mpid == first)
        #expect(visitor.sessionSummary?.mpids == [second])
        await signet.runtime.shutdown()
    }
}

extension ManualClock {
    /// Waits until somebody sleeps; whoever is awake later finds its moment passed.
    func untilSomebodySleeps() async {
        while self.sleepers == 0 { await self.nextSleep() }
    }
}
