// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The replica that finishes the rows of an erasure.
@Suite struct ErasureTakeoverTests {
    private static let replicas = (0..<4).map { number in
        UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    private static let now: Int64 = 1_000_000

    /// The replicas that take over, if the last one has noted the erasure 500 s ago.
    private static func due(beats: [Int64?], known: Int = 4, at now: Int64 = now) -> [Int] {
        let erasure = SharedErasure(id: .random(), hash: [1], by: replicas[3], milliseconds: Self.now - 500_000)
        let rows = zip(replicas, beats).prefix(known).map { SharedReplica(id: $0, beat: $1) }
        return (0..<4).filter { ErasureTakeover(replica: replicas[$0]).isDue(erasure, among: rows, at: now) }
    }

    private static let turns: [(age: Int64, due: [Int])] = [
        // The one that has noted it lives, or may come back.
        (0, [3]), (59_999, [3]),
        // It is dead: the others follow one after the other.
        (60_000, [0, 3]), (89_999, [0, 3]), (90_000, [0, 1, 3]), (120_000, [0, 1, 2, 3]),
    ]

    @Test(arguments: turns)
    func theOthersFollowTheDeadOneInTurn(age: Int64, due: [Int]) {
        #expect(Self.due(beats: [Self.now, Self.now, Self.now, Self.now - age]) == due)
    }

    @Test func theDeadHaveNoTurn() {
        #expect(Self.due(beats: [Self.now - 15_000, nil, Self.now, Self.now - 60_000]).contains(2))
    }

    @Test func oneThatHasLeftOrIsForgottenCountsAsDeadSinceTheErasure() {
        let beats: [Int64?] = [Self.now, Self.now, Self.now, nil]
        #expect(Self.due(beats: beats) == [0, 1, 2, 3])
        #expect(Self.due(beats: beats, known: 3) == [0, 1, 2, 3])
        #expect(Self.due(beats: beats, at: Self.now - 500_000) == [0, 3])
    }

    @Test func aJumpOfTheClockKillsNobody() {
        var takeover = ErasureTakeover(replica: Self.replicas[0])
        takeover.jumps.goAhead(by: 3_600_000, after: Self.now)
        let erasure = SharedErasure(id: .random(), hash: [1], by: Self.replicas[3], milliseconds: Self.now - 1_000)
        let rows = [SharedReplica(id: Self.replicas[3], beat: Self.now - 1_000)]
        #expect(!takeover.isDue(erasure, among: rows, at: Self.now + 3_600_000))
    }
}
