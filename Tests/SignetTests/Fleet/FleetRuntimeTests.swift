// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Two replicas of one server: what a visitor does on one is so on the other.
@Suite(.watched) struct FleetRuntimeTests {
    @Test func aLoginOnOneReplicaIsSeenByTheNextOpenOnAnother() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            let result = try await here.login([.customerID: "c-1"])
            let there = try await fleet[1].open()
            #expect(there.currentUser?.mpid == result.user.mpid)
            #expect(there.currentUser?.identities[.customerID]?.value == "c-1")
            #expect(there.deviceApplicationStamp == here.deviceApplicationStamp)
            #expect(there.currentSession == here.currentSession)
            #expect(fleet.platform.users().count == 1)
        }
    }

    @Test func eventsOfAllReplicasAreOneSessionWithOneBeginAndOneEnd() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            for _ in 0..<3 { try here.log(.custom("here")) }
            for _ in 0..<4 { try there.log(.custom("there")) }
            let session = here.currentSession
            try await fleet.pass(75)
            try await fleet.upload()
            #expect(fleet.count("session_start") == 1)
            let ends = fleet.events.filter { $0.type == "session_end" }
            #expect(ends.count == 1)
            #expect(ends.first?.sessionID == session?.id)
            // Seven events, and the change of the identity.
            #expect(ends.first?.customAttributes["$EventCount"] == "8")
            #expect(Set(fleet.events.compactMap(\.sessionUUID)).count == 1)
            #expect(fleet.events.count { $0.name == "here" } == 3)
            #expect(fleet.events.count { $0.name == "there" } == 4)
        }
    }

    @Test func theSameLoginOnTwoReplicasAtOnceIsSentOnce() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate))
            async let first = here.login([.customerID: "c-1"])
            await until("a request at the platform") { fleet[0].signet.transport.inFlight == 1 }
            await #expect(throws: SignetError.self) {
                do { try await there.login([.customerID: "c-1"]) } catch {
                    #expect((error as? SignetError)?.code == .requestInProgress)
                    throw error
                }
            }
            gate.open()
            _ = try await first
            #expect(fleet[1].signet.transport.exchanges.isEmpty)
            try await there.login([.customerID: "c-1"])
            #expect(fleet.platform.users().count == 1)
        }
    }

    @Test func anIdentifyThatAReplicaMakesByItselfRefusesNoLoginOnAnother() async throws {
        try await TestFleet().run { fleet in
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate), on: .identify)
            let here = try await fleet[0].runtime.open("visitor", identify: .ifUnknown)
            await until("a request at the platform") { fleet[0].signet.transport.inFlight == 1 }
            let there = try await fleet[1].open()
            let user = try await fleet.passing {
                async let login = there.login([.customerID: "c-1"])
                for _ in 0..<300 { await Task.yield() }
                gate.open()
                return try await login.user
            }
            try await here.refresh()
            #expect(here.currentUser?.mpid == user.mpid)
        }
    }

    @Test func incrementsOfBothReplicasAreAllCounted() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for visitor in [here, there] {
                    group.addTask {
                        var left = 20
                        while left > 0 {
                            do {
                                try await visitor.incrementAttribute("visits")
                                left -= 1
                            } catch {
                                // The other one was first eight times in a row: nothing was changed.
                                #expect((error as? SignetError)?.code == .storeBusy)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await here.refresh()
            #expect(here.currentUser?.attributes["visits"] == 40)
        }
    }

    @Test func aChangeWhoseReplyIsLostIsMadeOnce() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.inject(.replyLost, on: .commit)
            #expect(try await here.incrementAttribute("visits") == 1)
            fleet[0].store.faults.inject(.unreachable, on: .commit)
            await #expect(throws: SignetError.self) { try await here.incrementAttribute("visits") }
            try await here.refresh()
            #expect(here.currentUser?.attributes["visits"] == 1)
        }
    }

    @Test func eventsThatWaitOnAnotherReplicaCarryTheConsentOfNow() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try there.log(.custom("before"))
            try await here.setAttribute("gold", for: "level")
            try await fleet[1].runtime.upload()
            #expect(fleet.platform.users().first?.attributes["level"] == "gold")
        }
    }

    @Test func anOptOutElsewhereDropsWhatWaitsHereAlsoAfterOptingIn() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try there.log(.custom("before"))
            fleet.clock.advance(by: .milliseconds(10))
            try await here.setOptedOut(true)
            fleet.clock.advance(by: .milliseconds(10))
            try await here.setOptedOut(false)
            fleet.clock.advance(by: .milliseconds(10))
            try await there.refresh()
            try there.log(.custom("after"))
            try await fleet.upload()
            #expect(fleet.events.compactMap(\.name) == ["after"])
            #expect(fleet.count("opt_out") == 2)
            #expect(fleet[1].runtime.statistics.eventsDropped[.optedOut] == 1)
            #expect(!there.isOptedOut)
        }
    }

    @Test func aHandleThatWasNotToldLogsIntoTheSessionThatAllReplicasFind() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            let first = here.currentSession
            // The store is away: nobody can end the session.
            for replica in fleet.replicas { replica.store.faults.injectAlways(.unreachable) }
            fleet.clock.advance(by: .seconds(61))
            try here.log(.custom("here"))
            try there.log(.custom("there"))
            #expect(here.currentSession != first)
            #expect(here.currentSession?.uuid == there.currentSession?.uuid)
            for replica in fleet.replicas { replica.store.faults.clear() }
            try await fleet.pass(80)
            try await fleet.upload()
            #expect(fleet.count("session_start") == 2)
            #expect(fleet.count("session_end") == 2)
            #expect(Set(fleet.events.compactMap(\.sessionUUID)).count == 2)
            let last = fleet.events.last { $0.type == "session_end" }
            #expect(last?.customAttributes["$EventCount"] == "2")
            #expect(fleet.replicas.map(\.runtime.statistics.eventsAfterSessionEnd) == [0, 0])
        }
    }

    /// By its last reading nothing changes, but another replica has decided otherwise since.
    @Test func aDecisionIsMadeEvenIfAnOldReadingHasItAlready() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let given = ConsentState(gdpr: ["ads": Consent(true)])
            try await here.login([.customerID: "c-1"])
            try await here.setOptedOut(true)
            try await here.setConsent(given)
            try await there.refresh()
            try await here.setOptedOut(false)
            try await here.setConsent(nil)
            try await there.setConsent(given)
            try await here.refresh()
            #expect(here.currentUser?.consent?.gdpr["ads"]?.isGiven == true)
            try await here.setOptedOut(false)
            try await there.refresh()
            try await here.setOptedOut(true)
            try await there.setOptedOut(false)
            try await here.refresh()
            #expect(!here.isOptedOut)
        }
    }

    /// The same for an opt-out, which has to reach the events of every replica.
    @Test func anOptOutIsMadeEvenIfAnOldReadingHasItAlready() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.setOptedOut(true)
            try await there.refresh()
            try await here.setOptedOut(false)
            try await there.setOptedOut(true)
            try await here.refresh()
            #expect(here.isOptedOut)
        }
    }

    @Test func withoutTheStoreAnOpenFailsOrLogsOnly() async throws {
        try await TestFleet(1).run { fleet in
            fleet[0].store.faults.injectAlways(.unreachable)
            do {
                _ = try await fleet[0].open()
                Issue.record("It opened.")
            } catch {
                #expect((error as? SignetError)?.code == .storeUnreachable)
            }
        }
        try await TestFleet(1, whenUnreachable: .logOnly).run { fleet in
            fleet[0].store.faults.injectAlways(.unreachable)
            let visitor = try await fleet[0].open()
            try visitor.log(.custom("page"))
            await #expect(throws: SignetError.self) { try await visitor.login([.customerID: "c-1"]) }
            #expect(fleet[0].signet.transport.exchanges.isEmpty)
            fleet[0].store.faults.clear()
            try await visitor.login([.customerID: "c-1"])
            try await fleet.upload()
            #expect(fleet.events.compactMap(\.name) == ["page"])
        }
    }

    @Test func aReplicaThatDiesKeepsTheSlotForFifteenSeconds() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            // As of a replica that was killed before its answer came.
            let store = try #require(here.core.store.shared)
            let dead = SharedSlotRequest(key: store.key, token: SlotLease.token(isOwn: false), owner: .random())
            _ = try await fleet[0].store.takeSlot(dead, for: .seconds(15))
            do {
                try await there.login([.customerID: "c-1"])
                Issue.record("Two requests could be in flight.")
            } catch {
                #expect((error as? SignetError)?.code == .requestInProgress)
            }
            fleet.clock.advance(by: .seconds(15))
            try await there.login([.customerID: "c-1"])
        }
    }

    @Test func anAnswerAfterTheSlotWasTakenOverIsSuperseded() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.requestHeld(gate), on: .commit)
            async let first = here.login([.customerID: "c-1"])
            await until("an answer of the platform") { fleet[0].signet.transport.exchanges.first?.result != nil }
            fleet.clock.advance(by: .seconds(16))
            let second = try await there.login([.customerID: "c-2"])
            gate.open()
            do {
                _ = try await first
                Issue.record("Both answers were taken.")
            } catch {
                #expect((error as? SignetError)?.code == .superseded)
            }
            try await here.refresh()
            #expect(here.currentUser?.mpid == second.user.mpid)
        }
    }

    @Test func aSessionThatOneReplicaEndsIsOverOnAll() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            let first = try #require(here.currentSession)
            try await here.setSessionAttribute("spring", for: "campaign")
            #expect(try await there.incrementSessionAttribute("level", by: 2) == 2)
            #expect(try await here.incrementSessionAttribute("level") == 3)
            try await there.endSession()
            try await here.refresh()
            #expect(here.currentSession == nil && there.currentSession == nil)
            #expect(await code { try await here.setSessionAttribute(1, for: "late") } == .noSession)
            try await there.endSession()
            try await here.beginSession()
            try await there.beginSession()
            #expect(here.currentSession == there.currentSession)
            #expect(here.currentSession != first)
            try await fleet.upload()
            let ends = fleet.events.filter { $0.type == "session_end" }
            #expect(ends.map(\.sessionID) == [first.id])
            #expect(ends.first?.customAttributes["campaign"] == "spring")
            #expect(ends.first?.customAttributes["level"] == "3")
            #expect(fleet.count("session_start") == 2)
        }
    }

    /// One replica does not know of the last event, takes the session for over and logs into the next; the app then ends the first.
    @Test func theNextSessionDoesNotBeginBeforeTheLastOneEnds() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try await fleet.pass(40)
            try here.log(.custom("alive"))
            try await fleet.pass(2)
            fleet[1].store.faults.injectAlways(.unreachable)
            fleet.clock.advance(by: .seconds(25))
            try there.log(.custom("early"))
            fleet.clock.advance(by: .seconds(1))
            try await here.endSession()
            fleet[1].store.faults.clear()
            try await fleet.pass(80)
            try await fleet.upload()
            let end = try #require(fleet.events.first { $0.type == "session_end" })
            let start = try #require(fleet.events.last { $0.type == "session_start" })
            #expect(start.sessionUUID != end.sessionUUID)
            #expect(start.timestamp >= end.timestamp)
            #expect(fleet.count("session_start") == 2 && fleet.count("session_end") == 2)
        }
    }

    @Test func aSessionCallWithoutTheStoreChangesNothing() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let session = here.currentSession
            fleet[0].store.faults.injectAlways(.unreachable)
            #expect(await code { try await here.endSession() } == .storeUnreachable)
            #expect(await code { try await here.setSessionAttribute(1, for: "a") } == .storeUnreachable)
            #expect(here.currentSession == session)
            #expect(here.sessionSummary?.attributes.isEmpty == true)
            fleet[0].store.faults.clear()
            fleet[0].store.faults.inject(.replyLost, on: .commit)
            try await here.endSession()
            #expect(here.currentSession == nil)
            try await fleet.upload()
        }
    }
}
