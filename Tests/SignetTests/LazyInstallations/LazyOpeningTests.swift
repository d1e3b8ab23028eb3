// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// An installation that was opened and did nothing.
@Suite(.watched) struct LazyOpeningTests {
    private let scene: LazyScene

    init() throws {
        self.scene = try LazyScene()
    }

    @Test func anOpenLeavesNothing() async throws {
        try await self.scene.process().run { signet in
            let before = try Traces(signet)
            let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
            #expect(visitor.currentSession == nil)
            #expect(signet.number(of: "v") == 0)
            #expect(try Traces(signet).difference(from: before) == [])
            #expect(signet.runtime.statistics.eventsAccepted == 0)
            #expect(signet.transport.exchanges.isEmpty)
        }
    }

    /// It takes 400 bytes, which most installations of a server never need.
    @Test func theFirstCallMakesTheManagerOfCalls() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("view"))
            try await visitor.beginSession()
            #expect(visitor.core.identityIfMade == nil)
            try await visitor.login([.customerID: "c-1"])
            #expect(visitor.core.identityIfMade != nil)
            let other = try await signet.runtime.open("w")
            #expect(other.core.identityIfMade != nil)
        }
    }

    @Test func aThousandOpensAndARestartLeaveNothing() async throws {
        var before: Traces?
        try await self.scene.process().run { signet in
            before = try Traces(signet)
            for number in 0..<1000 {
                let id = InstallationID("v\(number)")
                _ = try await signet.runtime.open(id, identify: .none, context: LazyScene.context(number % 250))
            }
            #expect(try Traces(signet).difference(from: before) == [])
        }
        try await self.scene.process().run { signet in
            #expect(try Traces(signet).difference(from: before) == [])
            for number in 0..<1000 {
                let handle = try await signet.runtime.open(InstallationID("v\(number)"), identify: .none)
                handle.endLaunch()
            }
            #expect(try Traces(signet).difference(from: before) == [])
        }
    }

    @Test func anIdentifyThatFailsLeavesNothingAndOneThatSucceedsLeavesTheUser() async throws {
        try await self.scene.process().run { signet in
            let before = try Traces(signet)
            signet.emulator.faults.injectAlways(.status(400), on: .identify)
            let bot = try await signet.runtime.open("bot")
            await #expect(throws: SignetError.self) { _ = try await bot.initialIdentifyResult() }
            #expect(try Traces(signet).difference(from: before) == [])
            signet.emulator.faults.clear()
            let guest = try await signet.runtime.open("guest")
            let mpid = try await guest.initialIdentifyResult().user.mpid
            #expect(signet.runtime.context.store.contains(StateKey.identity("guest")))
            #expect(!signet.runtime.context.store.contains(StateKey.identity("bot")))
            signet.runtime.evict("guest")
            let again = try await signet.runtime.open("guest", identify: .none)
            #expect(again.currentUser?.mpid == mpid)
            #expect(again.deviceApplicationStamp == guest.deviceApplicationStamp)
        }
    }

    @Test func theFirstEventCarriesTheContextOfTheOpenAndTheLastOneCounts() async throws {
        try await self.scene.process().run { signet in
            let first = try await signet.runtime.open("a", identify: .none, context: LazyScene.context(1))
            let second = try await signet.runtime.open("b", identify: .none, context: LazyScene.context(2))
            let same = try await signet.runtime.open("b", identify: .none, context: LazyScene.context(3))
            #expect(try await signet.runtime.open("b", identify: .none).id == same.id)
            try first.log(.custom("of a"))
            try second.log(.custom("of b"))
            for visitor in [first, same] { try await visitor.identify() }
            try await signet.runtime.upload()
        }
        #expect(self.scene.addresses["of a"] == "198.51.100.1")
        #expect(self.scene.addresses["of b"] == "198.51.100.3")
        // A restart knows it too.
        try await self.scene.process().run { signet in
            try await signet.runtime.open("a", identify: .none).log(.custom("later"))
            try await signet.runtime.upload()
        }
        #expect(self.scene.addresses["later"] == "198.51.100.1")
    }

    @Test func aContextThatTheAppTakesBackIsNotThatOfTheFirstEvent() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
            try visitor.setContext(nil)
            #expect(signet.number(of: "v") != 0)
            try visitor.log(.custom("without"))
            try await visitor.identify()
            try await signet.runtime.upload()
        }
        #expect(self.scene.addresses["without"] == .some(nil))
    }

    @Test func twoHandlesShareOneInstallationBeforeAndAfter() async throws {
        try await self.scene.process().run { signet in
            let first = try await signet.runtime.open("v", identify: .none)
            let second = try await signet.runtime.open("v", identify: .none)
            #expect(first.deviceApplicationStamp == second.deviceApplicationStamp)
            try first.log(.custom("x"))
            #expect(second.currentSession != nil && second.currentSession == first.currentSession)
            #expect(signet.number(of: "v") == 1)
        }
    }

    @Test func theSessionBeginsWithTheFirstEventAndAnOpenProlongsNone() async throws {
        try await self.scene.process().run { signet in
            var changes = signet.runtime.sessionChanges().makeAsyncIterator()
            let visitor = try await signet.runtime.open("v", identify: .none)
            signet.clock.advance(by: .seconds(600))
            try visitor.log(.custom("x"))
            let session = try #require(visitor.currentSession)
            #expect(session.startTime == signet.clock.date)
            #expect(await changes.nextFact()?.session == session)
            signet.clock.advance(by: .seconds(1799))
            _ = try await signet.runtime.open("v", identify: .none)
            signet.clock.advance(by: .seconds(2))
            let end = await changes.nextFact()
            #expect(end?.session == session && end?.endReason == .timeout)
            #expect(try await signet.runtime.open("v", identify: .none).currentSession == nil)
        }
    }

    @Test func aSessionThatAProcessLeftOpenIsEndedByAnOpenAtItsLastEvent() async throws {
        let signet = try self.scene.process()
        let visitor = try await signet.runtime.open("v", identify: .none)
        try visitor.log(.custom("x"))
        let session = try #require(visitor.currentSession)
        let image = try TemporaryFolder(copying: self.scene.folder)
        await signet.runtime.shutdown()
        try await self.scene.process(in: image.path).run { next in
            next.clock.advance(by: .seconds(7200))
            var changes = next.runtime.sessionChanges().makeAsyncIterator()
            let again = try await next.runtime.open("v", identify: .none)
            let end = await changes.nextFact()
            #expect(end?.session == session && end?.endLength == .zero)
            #expect(again.currentSession == nil)
        }
    }

    @Test func aResetOfItRemovesNothingAndClosesItsHandles() async throws {
        try await self.scene.process().run { signet in
            let before = try Traces(signet)
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.reset()
            #expect(#expect(throws: SignetError.self) { try visitor.log(.custom("x")) }?.code == .closed)
            #expect(try Traces(signet).difference(from: before) == [])
            let next = try await signet.runtime.open("v", identify: .none)
            #expect(next.deviceApplicationStamp != visitor.deviceApplicationStamp)
            try next.log(.custom("y"))
            try await next.reset()
            #expect(!signet.runtime.context.store.contains(StateKey.identity("v")))
        }
    }

    @Test func anErasureOfAUserOfOthersLeavesItAsItIs() async throws {
        try await self.scene.process().run { signet in
            let known = try await signet.runtime.open("known", identify: .none)
            let user = try await known.login([.customerID: "c-1"]).user
            let silent = try await signet.runtime.open("silent", identify: .none, context: LazyScene.context(1))
            _ = try await signet.runtime.eraseUser(user.mpid)
            #expect(signet.number(of: "silent") == 0)
            #expect(!signet.runtime.context.store.contains(StateKey.identity("silent")))
            try silent.log(.custom("x"))
            #expect(signet.number(of: "silent") != 0)
        }
    }

    @Test func theDefaultConsentIsWrittenWithTheFirstEvent() async throws {
        let consent = ConsentState(ccpaDataSaleOptOut: Consent(true))
        try await self.scene.process({ $0.defaultConsent = consent }).run { signet in
            let before = try Traces(signet)
            let visitor = try await signet.runtime.open("v", identify: .none)
            #expect(try Traces(signet).difference(from: before) == [])
            try visitor.log(.custom("x"))
        }
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let user = try await visitor.identify().user
            #expect(user.consent?.ccpaDataSaleOptOut?.isGiven == true)
        }
    }

    @Test func anApplicationIsDurableAtItsOpen() async throws {
        try await self.scene.process({ $0.useApplicationDefaults() }).run { signet in
            let app = try await signet.runtime.open("app", identify: .none, context: LazyScene.context(1))
            #expect(app.currentSession != nil)
            #expect(signet.number(of: "app") == 1)
            let store = signet.runtime.context.store
            #expect(store.contains(StateKey.identity("app")) && store.contains(StateKey.launch("app")))
            #expect(store.contains(StateKey.chosenContext("app")))
        }
    }

    @Test func anotherStampIsRefusedAlsoBeforeItIsDurable() async throws {
        try await self.scene.process().run { signet in
            let (one, other) = (UUID.random(), UUID.random())
            let visitor = try await signet.runtime.open("v", identify: .none, deviceApplicationStamp: one)
            #expect(visitor.deviceApplicationStamp == one)
            let error = await #expect(throws: SignetError.self) {
                _ = try await signet.runtime.open("v", identify: .none, deviceApplicationStamp: other)
            }
            #expect(error?.code == .invalidArgument)
        }
    }
}
