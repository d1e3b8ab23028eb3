// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

/// A replica that does not reach the store, and what another one has changed meanwhile.
@Suite(.watched, .serialized) struct PartitionTests {
    @Test func aReplicaThatIsCutOffIsAsWithoutTheEngineAndTheOthersGoOn() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port)
            let b = try await fleet.member("b")
            for member in [a, b] { try await member.expect(.open("v", identifies: false)) }
            try await a.expect(.login("v", customer: "c-1"))
            proxy.set(.holds)
            let open = try await a.call(.open("w", identifies: false))
            #expect(open.error == "storeUnreachable", "\(open)")
            let login = try await a.call(.login("v", customer: "c-2"))
            #expect(login.error == "storeUnreachable", "\(login)")
            try await a.expect(.log("v", count: 2, name: "cut-off"))
            try await b.expect(.open("v", identifies: false))
            let user = try await b.expect(.login("v", customer: "c-3")).state?.mpid
            try await b.expect(.log("v", count: 2, name: "beside"))
            proxy.set(.passes)
            try await until("the replica reads the row again") {
                let answer = try await a.call(.refresh("v"))
                return answer.error == nil && answer.state?.mpid == user
            }
            let names = ["beside-0", "beside-1", "cut-off-0", "cut-off-1"]
            await until("all events have arrived") { Set(names).isSubset(of: fleet.platform.customEvents.keys) }
            #expect(fleet.platform.customEvents == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
            #expect(!fleet.platform.identityCalls.contains { $0.overlapped })
        }
    }

    @Test func aSlowEngineIsGivenUpAfterItsLimit() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port)
            try await a.expect(.open("v", identifies: false))
            proxy.set(.delaysReplies(.milliseconds(200)))
            try await a.expect(.open("v", identifies: false))
            proxy.set(.delaysReplies(.seconds(5)))
            let began = ContinuousClock.now
            let open = try await a.call(.open("w", identifies: false))
            #expect(open.error == "storeUnreachable", "\(open)")
            let time = began.duration(to: .now)
            #expect(time < .seconds(5), "it is given up before the answer comes: \(time)")
            proxy.set(.passes)
            try await until("it is fast again") { try await a.call(.open("w", identifies: false)).error == nil }
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

    @Test func unreadEventsBelongToTheUserOfTheirMoment() async throws {
        try await Fleet.with { fleet in
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port) { $0.whenUnreachable = .logOnly }
            let b = try await fleet.member("b")
            // The replica knows the clock of the database from here on.
            try await a.expect(.open("w", identifies: false))
            // Known before: the visitor becomes them, and their own anonymous user stays another one.
            try await b.expect(.open("other", identifies: false))
            try await b.expect(.login("other", customer: "c-2"))
            try await b.expect(.open("v", identifies: false))
            var users: [Int64?] = [try await b.expect(.login("v", customer: "c-1")).state?.mpid]
            proxy.set(.holds)
            try await a.expect(.open("v", identifies: false))
            try await fleet.pass()
            try await a.expect(.log("v", count: 1, name: "of-the-first"))
            try await fleet.pass()
            users.append(try await b.expect(.logout("v")).state?.mpid)
            try await fleet.pass()
            try await a.expect(.log("v", count: 1, name: "logged-out"))
            try await fleet.pass()
            users.append(try await b.expect(.login("v", customer: "c-2")).state?.mpid)
            try await fleet.pass()
            try await a.expect(.log("v", count: 1, name: "of-the-second"))
            #expect(Set(users).count == 3 && !users.contains(nil), "\(users)")
            proxy.set(.passes)
            let platform = fleet.platform
            await until("the events have arrived") { platform.customEvents.count == 3 }
            let found = platform.events.filter { $0.type == "custom_event" }
                .reduce(into: [:]) { $0[$1.name ?? ""] = $1.mpid.rawValue }
            let names = ["of-the-first-0", "logged-out-0", "of-the-second-0"]
            #expect(names.map { found[$0] } == users)
            #expect(platform.customEvents.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func aConsentWithdrawnWhileABatchIsHeldStaysWithdrawn() async throws {
        try await Fleet.with { fleet in
            let (a, b) = (try await fleet.member("a"), try await fleet.member("b"))
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
}
#endif
