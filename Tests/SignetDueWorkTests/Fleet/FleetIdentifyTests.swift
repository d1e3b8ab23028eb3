// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// In a fleet, too, the runtime identifies events without a user as the last open wanted it, whoever comes back.
@Suite(.watched) struct FleetIdentifyTests {
    private let fleet: DueFleet

    init() throws {
        self.fleet = try DueFleet()
    }

    /// A visitor logs while the store is away, and never returns.
    private func visit(_ end: DueWorld.End, identify: IdentifyPolicy = .ifUnknown) async throws {
        try await self.fleet.live(endingWith: end, away: true) { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: identify)
            try visitor.log(.custom("page"))
            await signet.rest()
        }
    }

    private func hour(_ signet: EmulatedSignet) async {
        await signet.pass(.seconds(3600), in: 180)
    }

    @Test(arguments: DueWorld.End.allCases)
    func anIdentifyThatFailsOnceAfterARestartIsRepeated(_ end: DueWorld.End) async throws {
        try await self.visit(end)
        self.fleet.emulator.faults.inject(.status(503), on: .identify)
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            #expect(self.fleet.names == ["page"])
        }
    }

    @Test func aRowWithoutAUserDoesNotEraseTheWish() async throws {
        // Another replica has made the row, for an app that waits.
        let fleet = try DueFleet(replicas: 2)
        try await fleet.live(on: 1) { signet, _ in
            _ = try await signet.runtime.open("visitor", identify: .none)
        }
        try await fleet.live(endingWith: .kill, away: true) { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: .ifUnknown)
            try visitor.log(.custom("page"))
            await signet.rest()
        }
        try await fleet.live { signet, _ in
            await self.hour(signet)
            #expect(fleet.names == ["page"])
        }
    }

    @Test func aVisitorWithoutPolicyIsNeverIdentified() async throws {
        try await self.visit(.kill, identify: .none)
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            #expect(!signet.transport.exchanges.contains { $0.endpoint == "identify" })
            #expect(self.fleet.names.isEmpty)
        }
    }

    @Test func aConsentBeforeTheFirstEventDoesNotEraseTheWish() async throws {
        try await self.fleet.live(endingWith: .kill) { signet, _ in
            self.fleet.emulator.faults.injectAlways(.status(503), on: .identify)
            let visitor = try await signet.runtime.open("visitor", identify: .ifUnknown)
            try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            await signet.pass(.seconds(30), in: 30)
            try visitor.log(.custom("page"))
            await signet.rest()
        }
        self.fleet.emulator.faults.clear()
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            #expect(self.fleet.names == ["page"])
        }
    }

    /// The open comes in a pause of the runner, when it has left the events to the app already.
    @Test func anOpenThatWantsAnIdentifyLaterIsTriedAgainAfterItsFailure() async throws {
        try await self.fleet.live { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            try visitor.log(.custom("page"))
            await self.hour(signet)
            #expect(self.fleet.names.isEmpty)
            self.fleet.emulator.faults.inject(.status(503), on: .identify)
            _ = try await signet.runtime.open("visitor", identify: .ifUnknown)
            await self.hour(signet)
            #expect(self.fleet.names == ["page"])
        }
    }

    /// Its events went with the row: an identify for them would make the visitor anew.
    @Test func aVisitorWhoseRowIsRemovedIsNotIdentified() async throws {
        let fleet = try DueFleet(replicas: 2)
        fleet.emulator.faults.injectAlways(.status(503), on: .identify)
        try await fleet.live(endingWith: .kill) { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: .ifUnknown)
            try visitor.log(.custom("page"))
            await signet.pass(.seconds(30), in: 30)
        }
        try await fleet.live(on: 1) { other, _ in
            try await other.runtime.open("visitor", identify: .none).remove(within: .zero)
        }
        #expect(fleet.engine.database.rows.isEmpty)
        fleet.emulator.faults.clear()
        try await fleet.live { signet, _ in
            await self.hour(signet)
            #expect(fleet.engine.database.rows.isEmpty)
            #expect(!signet.transport.exchanges.contains { $0.endpoint == "identify" })
        }
    }

    // MARK: - The identities of a request

    private static let email = "somebody@shop.example"
    private static let request = IdentifyPolicy.request([.email: email])

    @Test(arguments: DueWorld.End.allCases)
    func theRequestOfAnOpenIsSentAgainWithItsIdentities(_ end: DueWorld.End) async throws {
        try await self.visit(end, identify: Self.request)
        #expect(try self.fleet.keeps(Self.email))
        self.fleet.emulator.faults.inject(.status(503), on: .identify)
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            #expect(self.fleet.names == ["page"])
            #expect(self.fleet.platformKnows(Self.email, .email))
        }
    }

    @Test func theIdentitiesLeaveTheDiskWithTheAnswer() async throws {
        try await self.fleet.live { signet, _ in
            self.fleet.emulator.faults.inject(.status(503), on: .identify)
            let visitor = try await signet.runtime.open("visitor", identify: Self.request)
            try visitor.log(.custom("page"))
            await signet.rest()
            #expect(try self.fleet.keeps(Self.email))
            await self.hour(signet)
            let user = try #require(visitor.currentUser)
            #expect(try !self.fleet.keeps(Self.email))
            // An open of a visitor who is known brings them back no more.
            let again = try await signet.runtime.open("visitor", identify: Self.request)
            try again.log(.custom("another page"))
            #expect(try !self.fleet.keeps(Self.email))
            _ = try await signet.runtime.eraseUser(user.mpid, within: .zero)
            #expect(try !allBytes(in: self.fleet.folders[0].path).contains(Self.email))
            await self.hour(signet)
            #expect(try !allBytes(in: self.fleet.folders[0].path).contains(Self.email))
        }
    }

    /// Another replica has the answer: this one reads it in the row.
    @Test func theIdentitiesLeaveTheDiskOfAReplicaThatReadsOfTheUser() async throws {
        let fleet = try DueFleet(replicas: 2)
        try await fleet.live { signet, store in
            store.injectAlways(.unreachable)
            let visitor = try await signet.runtime.open("visitor", identify: Self.request)
            try visitor.log(.custom("page"))
            await signet.rest()
            #expect(try fleet.keeps(Self.email))
            try await fleet.live(on: 1) { other, _ in
                _ = try await other.runtime.open("visitor", identify: .ifUnknown).initialIdentifyResult()
            }
            store.clear()
            try await visitor.refresh()
            #expect(try !fleet.keeps(Self.email))
        }
    }

    /// The replica has not heard of the user before the erasure: nothing of its own says whose the identities are.
    @Test func anErasureElsewhereRemovesTheIdentitiesFromTheDisk() async throws {
        let fleet = try DueFleet(replicas: 2)
        try await fleet.live(endingWith: .kill, away: true) { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: Self.request)
            try visitor.log(.custom("page"))
            await signet.rest()
        }
        try await fleet.live(on: 1) { other, _ in
            let visitor = try await other.runtime.open("visitor", identify: Self.request)
            let user = try await visitor.initialIdentifyResult().user
            _ = try await other.runtime.eraseUser(user.mpid, within: .zero)
        }
        let before = fleet.emulator.users().count
        try await fleet.live { signet, _ in
            await self.hour(signet)
            let bytes = try allBytes(in: fleet.folders[0].path)
            #expect(!bytes.contains(Self.email))
            let sent = signet.transport.exchanges.filter { $0.endpoint == "identify" }
            #expect(!sent.contains { String(decoding: $0.request.body, as: UTF8.self).contains(Self.email) })
        }
        #expect(fleet.emulator.users().count == before)
    }

    /// No visit and no batch has read the row since: the lane of identifies pauses, and a later event waits for its user.
    @Test func anErasureReadsTheRowsOfTheIdentitiesThatWait() async throws {
        let fleet = try DueFleet(replicas: 2)
        try await fleet.live(endingWith: .kill, away: true) { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: Self.request)
            try visitor.log(.custom("of the erased user"))
            await signet.pass(.seconds(1), in: 1)
            try await fleet.live(on: 1) { other, _ in
                let there = try await other.runtime.open("visitor", identify: Self.request)
                let user = try await there.initialIdentifyResult().user
                await signet.pass(.seconds(1), in: 1)
                _ = try await other.runtime.eraseUser(user.mpid, within: .zero)
            }
            await signet.pass(.seconds(1), in: 1)
            try visitor.log(.custom("of another one"))
        }
        try await fleet.live(away: true) { signet, store in
            await signet.pass(.seconds(900), in: 90)
            #expect(try fleet.keeps(Self.email))
            store.clear()
            await signet.pass(.seconds(10), in: 10)
            let bytes = try allBytes(in: fleet.folders[0].path)
            #expect(!bytes.contains(Self.email))
            await self.hour(signet)
            #expect(fleet.names == ["of another one"])
        }
    }

    /// Whoever was erased and comes back is another user: the new request stands, also after a restart.
    @Test func aRequestAfterAnErasureIsKept() async throws {
        try await self.fleet.live(endingWith: .kill) { signet, _ in
            let visitor = try await signet.runtime.open("visitor", identify: .ifUnknown)
            let user = try await visitor.initialIdentifyResult().user
            _ = try await signet.runtime.eraseUser(user.mpid, within: .zero)
            self.fleet.clock.advance(by: .seconds(10))
            self.fleet.emulator.faults.injectAlways(.status(503), on: .identify)
            let again = try await signet.runtime.open("visitor", identify: Self.request)
            try again.log(.custom("page"))
            await signet.rest()
        }
        self.fleet.emulator.faults.clear()
        try await self.fleet.live { signet, _ in
            await self.hour(signet)
            #expect(self.fleet.names == ["page"])
            #expect(self.fleet.platformKnows(Self.email, .email))
            let isKept = try self.fleet.keeps(Self.email)
            #expect(!isKept)
        }
    }
}
