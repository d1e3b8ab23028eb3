// SPDX-License-Identifier: Apache-2.0

#if PostgresStore && URLSessionTransport
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

/// Whose events they are, and with which consent they go, when another replica has changed that meanwhile.
@Suite(.watched, .serialized) struct AttributionTests {
    @Test func unreadEventsBelongToTheUserOfTheirMoment() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port) { $0.whenUnreachable = .logOnly }
            let b = try await fleet.member("b")
            try await b.expect(.open("v", identifies: false))
            let first = try await b.expect(.login("v", customer: "c-1")).state?.mpid
            proxy.set(.holds)
            try await a.expect(.open("v", identifies: false))
            try await a.expect(.log("v", count: 1, name: "before"))
            let second = try await b.expect(.login("v", customer: "c-2")).state?.mpid
            try await a.expect(.log("v", count: 1, name: "after"))
            #expect(first != second)
            proxy.set(.passes)
            let platform = fleet.platform
            await until("both events have arrived") { platform.customEvents.count == 2 }
            let users = platform.events.filter { $0.type == "custom_event" }
                .reduce(into: [:]) { $0[$1.name ?? ""] = $1.mpid.rawValue }
            #expect(users == ["before-0": try #require(first), "after-0": try #require(second)])
        }
    }

    @Test func aReplicaThatIsCutOffGoesOnWithLogOnly() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port) { $0.whenUnreachable = .logOnly }
            try await a.expect(.open("v", identifies: false))
            try await a.expect(.login("v", customer: "c-1"))
            for (round, mode) in [TCPProxy.Mode.holds, .refuses, .delaysReplies(.seconds(5))].enumerated() {
                proxy.set(mode)
                try await a.expect(.open("v", identifies: false))
                try await a.expect(.log("v", count: 1, name: "round-\(round)"))
                proxy.set(.passes)
                try await until("the replica reads again") { try await a.call(.refresh("v")).error == nil }
            }
            await until("all events have arrived") { fleet.platform.customEvents.count == 3 }
            #expect(fleet.platform.customEvents.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func aConsentWithdrawnWhileABatchIsHeldStaysWithdrawn() async throws {
        try await Fleet.with { fleet in
            let a = try await fleet.member("a") { $0.uploadInterval = 600 }
            let b = try await fleet.member("b")
            try await a.expect(.open("v", identifies: false))
            let mpid = try #require(try await a.expect(.login("v", customer: "c-1")).state?.mpid).user
            try await a.expect(.setConsent("v", true))
            try await a.expect(.log("v", count: 1, name: "held"))
            // No effect and no answer: the replica cannot know.
            fleet.platform.emulator.faults.inject(.connectionRefused, on: .events)
            _ = try await a.call(.upload)
            #expect(fleet.platform.customEvents.isEmpty)
            try await b.expect(.open("v", identifies: false))
            try await b.expect(.setConsent("v", false))
            try await b.expect(.log("v", count: 1, name: "withdrawn"))
            try await b.expect(.upload)
            await until("the withdrawal has arrived") { Self.consent(fleet, mpid) == false }
            await until("the held batch has arrived") { fleet.platform.customEvents["held-0"] == 1 }
            await until("a batch has corrected it") { Self.consent(fleet, mpid) == false }
        }
    }

    private static func consent(_ fleet: Fleet, _ mpid: MPID) -> Bool? {
        fleet.platform.emulator.user(mpid)?.consent?.gdpr.values.first?.isGiven
    }

    @Test func anEngineThatIsAwayBetweenAnswerAndCommitCostsNothing() async throws {
        let server = try PostgresServer()
        try await Fleet.with(server) { fleet in
            let a = try await fleet.member("a") { $0.requestTimeout = 2 }
            try await a.expect(.open("v", identifies: false))
            let before = try await a.expect(.login("v", customer: "c-1")).state
            let gate = EmulatorGate()
            fleet.platform.emulator.faults.inject(.held(gate), on: .login)
            async let login = a.call(.login("v", customer: "c-2"))
            await gate.arrived()
            try server.crash()
            gate.open()
            // The slot lasts seven seconds; the commit is tried as long.
            #expect(try await login.error == "storeUnreachable")
            #expect(try await a.call(.state("v")).state?.mpid == before?.mpid)
            try server.start()
            try await until("a repetition goes through") {
                try await a.call(.login("v", customer: "c-2")).error == nil
            }
            let user = try await a.expect(.state("v")).state?.mpid
            #expect(user != before?.mpid)
            let mpid = try #require(user).user
            #expect(fleet.platform.emulator.user(mpid)?.identities[.customerID] == ["c-2"])
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }
}

extension Int64 {
    /// The user of a number that a member has told.
    fileprivate var user: MPID {
        get throws { try #require(MPID(rawValue: self)) }
    }
}
#endif
