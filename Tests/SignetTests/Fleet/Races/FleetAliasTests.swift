// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

/// An alias request is its replica's alone: it has an id and a window of its own, and is neither merged with another nor cut.
@Suite(.watched) struct FleetAliasTests {
    /// The windows lie side by side, as of an interval that was cut in two; the first try of one of them fails.
    @Test func requestsOfOnePairOnTwoReplicasAreSentOnceEachWithTheirOwnWindows() async throws {
        try await TestFleet(emulator: EmulatorConfiguration(strategy: .link)).run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let guest = try await here.identify().user.mpid
            try here.log(.custom("as a guest"))
            fleet.clock.advance(by: .seconds(40))
            let user = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            try #require(guest != user)
            let now = fleet.clock.date
            let windows = [
                (now.addingTimeInterval(-40), now.addingTimeInterval(-20)),
                (now.addingTimeInterval(-19), now),
            ]
            fleet.platform.faults.inject(.connectionRefused, on: .alias)
            var ids: [UUID] = []
            for (visitor, window) in zip([here, there], windows) {
                let request = AliasRequest(source: guest, destination: user, start: window.0, end: window.1)
                ids.append(try await visitor.alias(request))
            }
            try await fleet.upload()
            for _ in 0..<20 where fleet.platform.aliases().count < 2 { try await fleet.pass(1) }
            // Nothing more comes.
            try await fleet.pass(10)
            let aliases = fleet.platform.aliases()
            #expect(aliases.count == 2)
            for (id, window) in zip(ids, windows) {
                let name = id.uuidString.lowercased()
                let alias = try #require(aliases.first { $0.requestID?.lowercased() == name })
                #expect(alias.source == guest && alias.destination == user)
                #expect(Self.milliseconds(alias.start) == Self.milliseconds(window.0))
                #expect(Self.milliseconds(alias.end) == Self.milliseconds(window.1))
            }
            let sent = fleet.replicas.map { $0.signet.transport.exchanges.count { $0.endpoint == "alias" } }
            // The refused try, and one that arrived for each replica.
            #expect(sent.reduce(0, +) == 3)
        }
    }

    /// Two requests of two replicas are to the platform as two of one: it takes the window of the first, and refuses the second.
    @Test func aSecondRequestWithAnOverlappingWindowIsRefusedAndItsReplicaSaysSo() async throws {
        try await TestFleet(emulator: EmulatorConfiguration(strategy: .link)).run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let guest = try await here.identify().user.mpid
            fleet.clock.advance(by: .seconds(40))
            let user = try await here.login([.customerID: "c-1"]).user.mpid
            try await there.refresh()
            let now = fleet.clock.date
            let first = AliasRequest(source: guest, destination: user, start: now.addingTimeInterval(-40), end: now)
            let firstID = try await here.alias(first)
            try await fleet.upload()
            for _ in 0..<20 where fleet.platform.aliases().isEmpty { try await fleet.pass(1) }
            let second = AliasRequest(source: guest, destination: user, start: now.addingTimeInterval(-30), end: now)
            let secondID = try await there.alias(second)
            try await fleet.upload()
            try await fleet.pass(10)
            await until("an outcome") { await there.aliasOutcome(of: secondID) != nil }
            let isAccepted = if case .accepted = await here.aliasOutcome(of: firstID)?.kind { true } else { false }
            let isRefused = if case .refused = await there.aliasOutcome(of: secondID)?.kind { true } else { false }
            #expect(isAccepted && isRefused)
            #expect(fleet.platform.aliases().count == 1)
            let sent = fleet.replicas.map { $0.signet.transport.exchanges.count { $0.endpoint == "alias" } }
            #expect(sent == [1, 1])
        }
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
}
