// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// A call that the last reading of a replica refuses, though another replica has changed the row since.
@Suite(.watched) struct FleetRefusalTests {
    // MARK: - Identity calls

    @Test func anIdentityCallIsNotRefusedByAnOptOutThatAnotherReplicaRevoked() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await here.setOptedOut(true)
            try await there.refresh()
            try await here.setOptedOut(false)
            #expect(there.isOptedOut, "by its last reading")
            let result = try await there.login([.customerID: "c-2"])
            #expect(there.currentUser?.mpid == result.user.mpid)
        }
    }

    @Test func aModifyIsSentIfOnlyAnOldReadingHasTheIdentityAlready() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1", .email: "old@example.com"])
            try await there.refresh()
            try await here.modify([.email: "new@example.com"])
            let result = try await there.modify([.email: "old@example.com"])
            #expect(result.isSent)
            try await here.refresh()
            #expect(here.currentUser?.identities[.email]?.value == "old@example.com")
            let sent = fleet[1].signet.transport.exchanges.count
            #expect(try await there.modify([.email: "old@example.com"]).isSent == false)
            #expect(fleet[1].signet.transport.exchanges.count == sent)
        }
    }

    @Test func aModifyFindsTheUserWhoCameOnAnotherReplica() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            #expect(there.currentUser == nil, "by its last reading")
            #expect(try await there.modify([.email: "new@example.com"]).user.mpid == mpid)
        }
    }

    @Test func theInitialResultIsTheUserWhoCameOnAnotherReplica() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            #expect(try await there.initialIdentifyResult().user.mpid == mpid)
        }
    }

    // MARK: - Changes

    @Test func aChangeIsNotRefusedByAnOptOutThatAnotherReplicaRevoked() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await here.setOptedOut(true)
            try await there.refresh()
            try await here.setOptedOut(false)
            try await there.setAttribute("gold", for: "level")
            #expect(there.currentUser?.attributes["level"] == "gold")
        }
    }

    @Test func aSessionCallIsNotRefusedByAnOptOutThatAnotherReplicaRevoked() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.setOptedOut(true)
            try await there.refresh()
            try await here.setOptedOut(false)
            try await there.beginSession()
            #expect(there.currentSession != nil)
        }
    }

    @Test func aUserWhomOnlyTheRowKnowsIsFound() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            #expect(try await there.incrementAttribute("visits", of: mpid) == 1)
        }
    }

    @Test func theConsentOfAUserWhomOnlyTheRowKnowsIsSet() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.setConsent(ConsentState(gdpr: ["ads": Consent(true)]), of: mpid)
            try await here.refresh()
            #expect(here.currentUser?.consent?.gdpr["ads"]?.isGiven == true)
        }
    }

    @Test func aSessionThatBeganOnAnotherReplicaTakesAttributes() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await there.endSession()
            try await here.refresh()
            try await here.beginSession()
            #expect(there.currentSession == nil, "by its last reading")
            try await there.setSessionAttribute("spring", for: "campaign")
            #expect(there.currentSession == here.currentSession)
        }
    }

    @Test func anAliasIsNotRefusedByAnOptOutThatAnotherReplicaRevoked() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let second = try await here.login([.customerID: "c-2"]).user
            let first = try await here.logout().user
            fleet.clock.advance(by: .seconds(60))
            try await here.setOptedOut(true)
            try await there.refresh()
            try await here.setOptedOut(false)
            let now = fleet.clock.date
            try await there.alias(
                AliasRequest(source: first.mpid, destination: second.mpid, start: now.addingTimeInterval(-60), end: now)
            )
        }
    }

    // MARK: - Events

    /// It has no answer of a flush that would renew it.
    @Test func aHandleThatRefusesEventsHearsOfTheOptInWithinASecond() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.setOptedOut(true)
            try await there.refresh()
            try await here.setOptedOut(false)
            #expect(await code { try there.log(.custom("refused")) } == .optedOut)
            try await fleet.pass(2)
            try there.log(.custom("taken"))
        }
    }

    // MARK: - What stays

    @Test func withoutTheStoreNothingIsRefusedByAnOldReading() async throws {
        try await TestFleet().run { fleet in
            let there = try await fleet[1].open()
            try await there.setOptedOut(true)
            fleet[1].store.faults.injectAlways(.unreachable)
            #expect(await code { try await there.login([.customerID: "c-1"]) } == .storeUnreachable)
            #expect(await code { try await there.setAttribute(1, for: "a") } == .storeUnreachable)
            fleet[1].store.faults.clear()
            #expect(await code { try await there.login([.customerID: "c-1"]) } == .optedOut)
            #expect(await code { try await there.setAttribute(1, for: "a") } == .optedOut)
            #expect(fleet[1].signet.transport.exchanges.isEmpty)
        }
    }
}
