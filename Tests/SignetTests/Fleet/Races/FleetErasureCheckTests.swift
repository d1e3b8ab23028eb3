// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A replica hears of erasures with the answers of its flushes; it asks for them only if there are some.
@Suite(.watched) struct FleetErasureCheckTests {
    private static func asked(_ fleet: TestFleet) -> [Int] {
        fleet.replicas.map { $0.store.count(of: .pendingErasures) }
    }

    @Test func replicasThatHaveNothingToEraseDoNotAskForErasures() async throws {
        try await TestFleet().run { fleet in
            try await fleet.pass(3)
            let (asked, flushes) = (Self.asked(fleet), fleet.replicas.map { $0.store.count(of: .flush) })
            try await fleet.pass(30)
            for (index, replica) in fleet.replicas.enumerated() {
                let told = replica.store.count(of: .flush) - flushes[index]
                let more = replica.store.count(of: .pendingErasures) - asked[index]
                #expect(told >= 10)
                // On a slow machine an answer may be late: its replica asks once. One that asks each second asks as often as it tells.
                #expect(more * 3 <= told, "asked \(more) times, and told \(told) times")
            }
        }
    }

    @Test func anErasureIsHeardOfWithTheNextFlush() async throws {
        try await TestFleet().run { fleet in
            let mpid = try await fleet[0].open().login([.customerID: "c-1"]).user.mpid
            let there = try await fleet[1].open()
            #expect(there.currentUser?.mpid == mpid)
            try await fleet.pass(3)
            let report = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid, within: .seconds(10)) }
            #expect(report.replicasLeft == 0)
            #expect(there.currentUser == nil)
            let asked = Self.asked(fleet)
            try await fleet.pass(10)
            let more = zip(Self.asked(fleet), asked).map { $0 - $1 }
            #expect(more.allSatisfy { $0 <= 5 }, "\(more)")
        }
    }

    /// Other calls work, so that only the question itself can tell.
    @Test func withoutAnAnswerOfItsFlushAReplicaAsks() async throws {
        try await TestFleet().run { fleet in
            let mpid = try await fleet[0].open().login([.customerID: "c-1"]).user.mpid
            _ = try await fleet[1].open()
            try await fleet.pass(3)
            fleet[1].store.faults.injectAlways(.unreachable, on: .flush)
            _ = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid, within: .seconds(10)) }
            fleet[1].store.faults.clear()
            #expect(fleet.engine.database.erasures.first?.acknowledgements.count == 2)
        }
    }
}
