// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing
import signet_fleet_member

/// A replica that comes back after a week: its events are of another time, and the rules are those of today.
@Suite(.watched, .serialized) struct LongPartitionTests {
    /// The visitors by what becomes of them on the other replica; those with `unread-` were never read by the one that is cut off.
    private static let names = ["out", "erased", "withdrawn", "kept", "unread-out", "unread-erased", "unread-kept"]

    @Test func aReplicaThatWasCutOffForAWeekDeletesAndDropsByTheRulesOfToday() async throws {
        try await Fleet.with { fleet in
            try await fleet.makeClock()
            let proxy = try TCPProxy(to: fleet.server.port)
            let a = try await fleet.member("a", port: proxy.port) {
                $0.whenUnreachable = .logOnly
                $0.uploadInterval = 600
            }
            let b = try await fleet.member("b")
            var users: [String: Int64] = [:]
            for name in Self.names {
                try await b.expect(.open(name, identifies: false))
                users[name] = try await b.expect(.login(name, customer: "c-\(name)")).state?.mpid
                try await b.expect(.setConsent(name, true))
            }
            // Else the replica that is cut off may find that the platform lacks one, and send it with what it holds.
            let all = try users.values.map { try $0.user }
            await until("all consents have arrived") { all.allSatisfy { Self.consent(fleet, $0) == true } }
            for name in Self.names where !name.hasPrefix("unread") {
                try await a.expect(.open(name, identifies: false))
                try await a.expect(.log(name, count: 1, name: "before-\(name)"))
            }
            #expect(Set(users.values).count == Self.names.count)
            try await fleet.pass()
            proxy.set(.refuses)
            for name in Self.names {
                try await a.expect(.open(name, identifies: false))
                try await a.expect(.log(name, count: 1, name: "during-\(name)"))
            }
            try await fleet.pass()
            for name in ["out", "unread-out"] { try await b.expect(.setOptedOut(name, true)) }
            for name in ["erased", "unread-erased"] { try await b.expect(.erase(try #require(users[name]))) }
            try await b.expect(.setConsent("withdrawn", false))
            try await b.expect(.log("withdrawn", count: 1, name: "today"))
            try await b.expect(.upload)
            let withdrawn = try #require(users["withdrawn"]).user
            await until("the withdrawal has arrived") { Self.consent(fleet, withdrawn) == false }
            #expect(fleet.platform.customEvents == ["today-0": 1])
            try await fleet.setClock(ahead: 7 * 86_400)
            proxy.set(.passes)
            try await until("the replica reads again") { try await a.call(.refresh("kept")).error == nil }
            try await until("it has erased on its own disk") {
                try await fleet.number(
                    """
                    select count(*) from signet.erasure e, signet.replica r
                    where not exists (select from signet.erased d where d.erasure = e.id and d.replica = r.id)
                    """
                ) == 0
            }
            try await until("it has sent what it may") { try await a.call(.upload).error == nil }
            let names = [
                "today", "before-withdrawn", "before-kept", "during-withdrawn", "during-kept", "during-unread-kept",
            ]
            #expect(fleet.platform.customEvents == Dictionary(uniqueKeysWithValues: names.map { ($0 + "-0", 1) }))
            #expect(Self.consent(fleet, withdrawn) == false)
            #expect(Self.consent(fleet, try #require(users["kept"]).user) == true)
            // Of a week ago, not of today.
            let week = Int64(try await fleet.number(Fleet.now)) - 6 * 86_400_000
            let events = fleet.platform.events.filter { $0.type == "custom_event" }
            #expect(events.allSatisfy { $0.timestamp < week })
        }
    }

    private static func consent(_ fleet: Fleet, _ mpid: MPID) -> Bool? {
        fleet.platform.emulator.user(mpid)?.consent?.gdpr.values.first?.isGiven
    }
}
#endif
