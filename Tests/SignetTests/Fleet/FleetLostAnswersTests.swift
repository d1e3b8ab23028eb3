// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Answers of the shared store that do not come: nothing happens twice, and no caller hears what is not so.
@Suite(.watched) struct FleetLostAnswersTests {
    /// The database takes the commit and goes away; when it is back, the row has the user.
    @Test func aLoginWhoseCommitLostItsAnswerIsNotSuperseded() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            var changes = here.userChanges().makeAsyncIterator()
            fleet[0].store.faults.inject(.replyLost, on: .commit)
            fleet[0].store.faults.inject(.unreachable, on: .read, times: FleetMember.readingLimit)
            let user = try await fleet.passing { try await here.login([.customerID: "c-1"]).user }
            #expect(here.currentUser?.mpid == user.mpid)
            #expect(await changes.next(isolation: #isolation)?.current?.mpid == user.mpid)
            #expect(fleet[0].signet.transport.exchanges.count == 1)
        }
    }

    /// The database goes away with the answer, and is back before the limit of a call.
    @Test func aLostAnswerIsFoundOutWhenTheStoreIsBack() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.inject(.replyLost, on: .commit)
            fleet[0].store.faults.injectAlways(.unreachable, on: .read)
            let (faults, clock) = (fleet[0].store.faults, fleet.clock)
            try await fleet.passing {
                async let isBack: Void = {
                    try await clock.sleep(for: .milliseconds(200))
                    faults.clear()
                }()
                try await here.setAttribute("blue", for: "color")
                try await isBack
            }
            #expect(here.currentUser?.attributes["color"] == "blue")
        }
    }

    /// Its transaction waits for a lock in the database: the row is as before when it is read.
    @Test(arguments: [1, 2])
    func aChangeThatComesAfterTheRowWasReadIsMadeOnce(times: Int) async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.inject(.requestLate, on: .commit, times: times)
            try await fleet.passing { _ = try await here.incrementAttribute("visits", by: 1) }
            try await here.refresh()
            #expect(here.currentUser?.attributes["visits"] == 1)
            fleet[0].store.faults.inject(.requestLate, on: .commit, times: times)
            let user = try await fleet.passing { try await here.login([.customerID: "c-2"]).user }
            #expect(here.currentUser?.mpid == user.mpid)
            #expect(try fleet.row().session?.id == here.currentSession?.uuid)
        }
    }

    /// Nobody can say what comes of it, and the caller hears so.
    @Test func aChangeThatIsNeverAnsweredHasAnUnknownOutcome() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let error = SharedStoreError(.outcomeUnknown, "There was no answer in time.")
            fleet[0].store.faults.injectAlways(.refused(error), on: .commit)
            let thrown = await #expect(throws: SignetError.self) {
                try await fleet.passing { try await here.setAttribute("blue", for: "color") }
            }
            #expect(thrown?.code == .outcomeUnknown)
        }
    }

    /// Another replica has the slot, and the caller leaves while its call waits for it.
    @Test func aCancelledCallAsksNoMoreForTheSlot() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let key = try fleet.row().key
            let wish = SharedSlotRequest(key: key, token: SlotLease.token(isOwn: false), owner: .random())
            let other = MemorySharedStore(fleet.engine)
            _ = try await other.takeSlot(wish, for: .seconds(15))
            let login = Task { try await here.login([.customerID: "c-1"], whenBusy: .wait(upTo: .seconds(30))) }
            await until("it waits for the slot") { await !here.core.identity.waitingSince.isEmpty }
            for _ in 0..<200 { await Task.yield() }
            login.cancel()
            let error = await #expect(throws: SignetError.self) { try await login.value }
            #expect(error?.code == .cancelled)
            try await other.releaseSlot(wish)
            fleet[0].store.faults.inject(.unreachable, on: .takeSlot)
            try await fleet.pass(3)
            // No call has met the fault.
            await #expect(throws: SharedStoreError.self) { try await fleet[0].store.takeSlot(wish, for: .seconds(1)) }
        }
    }

    /// The caller leaves between two tries: the slot is free for this replica and for the others.
    @Test func aCallThatIsCancelledInAPauseReleasesTheSlot() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            fleet.platform.faults.inject(.status(503), on: .login)
            let policy = RetryPolicy(totalTime: .seconds(60), initialDelay: .seconds(20), jitter: 0)
            let login = Task { try await here.login([.customerID: "left"], retry: policy) }
            await until("a pause") {
                here.core.store.read { if case .pausing = $0.identity.slot { true } else { false } }
            }
            for _ in 0..<200 { await Task.yield() }
            login.cancel()
            let error = await #expect(throws: SignetError.self) { try await login.value }
            #expect(error?.code == .cancelled)
            try await here.login([.customerID: "c-1"])
            try await there.login([.customerID: "c-2"])
            try await fleet.pass(30)
            #expect(fleet[0].signet.transport.identityEndpoints == ["login", "login"])
            #expect(await here.core.identity.leases.isEmpty)
        }
    }

    @Test func anEndThatStaysInTheRowIsNotLoggedAgain() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await here.endSession()
            fleet[0].store.faults.inject(.unreachable, on: .commit)
            try await fleet.pass(100)
            try await fleet.upload()
            #expect(fleet.count("session_end") == 1)
            let row = try #require(fleet.engine.database.rows.values.first).installation
            #expect(row.outbox.isEmpty)
        }
    }

    @Test func aShutdownTellsWhatCameAfterAFlushWithoutAnAnswer() async throws {
        let fleet = try TestFleet(1)
        var counted = 0
        try await fleet.run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.inject(.replyLost, on: .flush)
            try await fleet.pass(1)
            try here.log(.custom("last"))
            counted = here.core.store.read { $0.sessions.totals?.events ?? 0 }
        }
        #expect(fleet.engine.database.rows.values.first?.installation.session?.events == counted)
    }

    @Test func aLoginKeepsItsSlotThroughALongPause() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            fleet.platform.faults.inject(.connectionRefused, on: .login)
            let pause = Duration.seconds(40)
            let policy = RetryPolicy(totalTime: pause * 2, initialDelay: pause, maximumDelay: pause, jitter: 0)
            async let login = here.login([.customerID: "c-1"], retry: policy)
            await until("a try") { fleet[0].signet.transport.exchanges.count == 1 }
            try await fleet.pass(20)
            #expect(await code { _ = try await there.login([.customerID: "c-2"]) } == .requestInProgress)
            try await fleet.pass(25)
            let user = try await login.user
            #expect(here.currentUser?.mpid == user.mpid)
        }
    }

    @Test func theTimeoutIsAtLeastTenSeconds() async throws {
        try await TestFleet(1).run { fleet in
            #expect(throws: SignetError.self) { try fleet[0].runtime.setSessionTimeout(.milliseconds(9999)) }
            try fleet[0].runtime.setSessionTimeout(.seconds(10))
        }
    }
}
