//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct UploadStateMachineRuleTests {
    @Test func whatWaitedForTheFirstUserIsTheirsExactlyOnceAndInOrder() throws {
        var uploads = Uploads(events: 10)
        for _ in 0..<3 { uploads.take(Uploads.unknown) }
        uploads.take(Uploads.known)
        let mpid = try #require(Uploads.known.mpid)
        uploads.machine.adopt("i", by: mpid, now: .zero)
        uploads.machine.adopt("i", by: mpid, now: .zero)
        uploads.machine.drain(upTo: .max)
        let cut = try uploads.mustCut()
        #expect(cut.group == Uploads.known)
        #expect(cut.sequences == [1, 2, 3, 4])
        #expect(uploads.next() == "send")
        #expect(uploads.machine.orphanedInstallations.isEmpty)
    }

    @Test func anotherUserOfTheInstallationInheritsNothingTwice() throws {
        var uploads = Uploads()
        uploads.take(Uploads.unknown)
        let other = try #require(MPID(rawValue: 2))
        uploads.machine.adopt("i", by: try #require(MPID(rawValue: 1)), now: .zero)
        uploads.machine.adopt("i", by: other, now: .zero)
        uploads.machine.drain(upTo: .max)
        let cut = try uploads.mustCut()
        #expect(cut.group == Uploads.known)
        #expect(uploads.next() == "send")
    }

    @Test func promptEventsThatWaitedForAUserGoAsSoonAsOneIsKnown() throws {
        var uploads = Uploads()
        uploads.take(Uploads.unknown, isPrompt: true)
        #expect(uploads.next(.seconds(3)) == "wait 10")
        uploads.machine.adopt("i", by: try #require(MPID(rawValue: 1)), now: .seconds(3))
        #expect(uploads.next(.seconds(3)) == "cut 1")
    }

    @Test func aBatchIsCutByBytesToo() throws {
        var uploads = Uploads(events: 100, bytes: 1000)
        for bytes in [400, 400, 400, 2000, 100] { uploads.take(bytes: bytes) }
        uploads.machine.drain(upTo: .max)
        var batches: [[UInt64]] = []
        while let cut = uploads.cut() {
            batches.append(cut.sequences)
            _ = uploads.next()
            uploads.machine.finished(cut.id, .settled, now: .zero)
        }
        // One that is too long for a batch of several goes alone.
        #expect(batches == [[1, 2], [3], [4], [5]])
    }

    @Test func usersAndInstallationsNeverShareABatch() throws {
        var uploads = Uploads(inFlight: 10, events: 100)
        let groups = ["a", "b"].flatMap { id in
            [1, 2].map { UploadStateMachine.Group(installation: InstallationID(id), mpid: MPID(rawValue: $0)) }
        }
        for _ in 0..<5 { for group in groups { uploads.take(group) } }
        uploads.machine.drain(upTo: .max)
        var seen: [UploadStateMachine.Group: Int] = [:]
        while let cut = uploads.cut() { seen[cut.group, default: 0] += cut.sequences.count }
        #expect(seen == Dictionary(uniqueKeysWithValues: groups.map { ($0, 5) }))
    }

    @Test func noMoreThanTheLimitIsUnderWay() throws {
        var uploads = Uploads(inFlight: 4, events: 1)
        for _ in 0..<10 { uploads.take() }
        var sent: [UUID] = []
        loop: while true {
            switch uploads.machine.next(now: .zero) {
            case .cut(let group, let items): uploads.machine.cut(UUID(), of: group, sequences: items.map(\.sequence))
            case .send(let id): sent.append(id)
            case .wait: break loop
            }
        }
        #expect(sent.count == 4)
        uploads.machine.finished(sent[0], .settled, now: .zero)
        _ = try uploads.mustCut()
        #expect(uploads.next() == "send")
        #expect(uploads.next() == "wait")
    }

    @Test func aPauseHoldsEverythingBackAndItsBatchGoesFirst() throws {
        var uploads = Uploads(inFlight: 2, events: 1)
        uploads.take()
        let first = try uploads.mustCut()
        #expect(uploads.next() == "send")
        uploads.machine.finished(first.id, .postponed(.seconds(5)), now: .zero)
        uploads.take()
        #expect(uploads.next() == "wait 5")
        #expect(uploads.next(.seconds(4)) == "wait 5")
        _ = uploads.cut(.seconds(5))
        guard case .send(let id) = uploads.machine.next(now: .seconds(5)) else {
            return #expect(Bool(false), "Nothing is sent after the pause.")
        }
        #expect(id == first.id)
    }

    @Test func theLongestPauseCounts() {
        var uploads = Uploads(inFlight: 2)
        let ids = [UUID(), UUID()]
        for id in ids { uploads.machine.restore(id, group: Uploads.known, sequences: [1]) }
        _ = uploads.next()
        _ = uploads.next()
        uploads.machine.finished(ids[0], .postponed(.seconds(100)), now: .zero)
        uploads.machine.finished(ids[1], .postponed(.seconds(5)), now: .zero)
        #expect(uploads.next() == "wait 100")
    }

    @Test func failuresOfOneWaveAreOneFailure() {
        var uploads = Uploads(inFlight: 4)
        let ids = (0..<4).map { _ in UUID() }
        for id in ids { uploads.machine.restore(id, group: Uploads.known, sequences: [1]) }
        for _ in ids { #expect(uploads.next() == "send") }
        for id in ids {
            #expect(uploads.machine.countFailure(now: .zero) == 1)
            uploads.machine.finished(id, .postponed(.seconds(5)), now: .zero)
        }
        for _ in ids { #expect(uploads.next(.seconds(5)) == "send") }
        for id in ids {
            #expect(uploads.machine.countFailure(now: .seconds(5)) == 2)
            uploads.machine.finished(id, .postponed(.seconds(15)), now: .seconds(5))
        }
        _ = uploads.next(.seconds(20))
        uploads.machine.finished(ids[3], .settled, now: .seconds(20))
        #expect(uploads.machine.countFailure(now: .seconds(20)) == 1)
    }

    @Test func anAnswerToABatchThatIsNotUnderWayChangesNothing() {
        var uploads = Uploads()
        uploads.reach(.batchReady)
        uploads.machine.finished(uploads.batch, .settled, now: .zero)
        #expect(uploads.next() == "send")
        uploads.machine.finished(uploads.batch, .settled, now: .zero)
        uploads.machine.finished(uploads.batch, .postponed(.seconds(5)), now: .zero)
        #expect(uploads.next() == "wait 10")
    }

    @Test func whatCouldNotBeWrittenDownGoesBackInFrontAndWaits() throws {
        var uploads = Uploads(events: 2)
        for _ in 0..<3 { uploads.take() }
        guard case .cut(let group, let items) = uploads.machine.next(now: .zero) else {
            return #expect(Bool(false), "Two events are a full batch.")
        }
        uploads.machine.putBack(items, of: group, pause: .seconds(5), now: .zero)
        #expect(uploads.next() == "wait 5")
        let cut = try uploads.mustCut(.seconds(5))
        #expect(cut.sequences == [1, 2])
    }

    @Test func aDrainIsDoneWhenOnlyThoseAreLeftWhoHaveNoUser() throws {
        var uploads = Uploads()
        uploads.take()
        uploads.take(Uploads.unknown)
        #expect(!uploads.machine.isDrained(now: .zero))
        uploads.machine.drain(upTo: .max)
        let cut = try uploads.mustCut()
        _ = uploads.next()
        #expect(!uploads.machine.isDrained(now: .zero))
        uploads.machine.finished(cut.id, .settled, now: .zero)
        #expect(uploads.machine.isDrained(now: .zero))
    }

    @Test func aDrainIsNotHeldUpByWhatIsLoggedMeanwhile() throws {
        var uploads = Uploads(inFlight: 4)
        uploads.take()
        uploads.machine.drain(upTo: 1)
        let cut = try uploads.mustCut()
        #expect(uploads.next() == "send")
        for _ in 0..<2 { uploads.take() }
        _ = try uploads.mustCut()
        #expect(uploads.next() == "send")
        uploads.take()
        #expect(!uploads.machine.isDrained(now: .zero))
        uploads.machine.finished(cut.id, .settled, now: .zero)
        #expect(uploads.machine.isDrained(now: .zero))
    }

    @Test func aDrainDoesNotOutwaitAPauseButWhatIsUnderWay() {
        var uploads = Uploads(inFlight: 2)
        let ids = [UUID(), UUID()]
        for id in ids { uploads.machine.restore(id, group: Uploads.known, sequences: [1]) }
        _ = uploads.next()
        _ = uploads.next()
        uploads.machine.drain(upTo: .max)
        uploads.machine.finished(ids[0], .postponed(.seconds(5)), now: .zero)
        #expect(!uploads.machine.isDrained(now: .zero))
        uploads.machine.finished(ids[1], .settled, now: .zero)
        #expect(uploads.machine.isDrained(now: .zero))
    }

    @Test func eventsAreOnTheirWayUntilTheyAreSettled() throws {
        var uploads = Uploads()
        let users = try [#require(MPID(rawValue: 1)), #require(MPID(rawValue: 9))]
        func isOnItsWay(_ sequence: UInt64) -> Bool { uploads.machine.isOnItsWay("i", users, upTo: sequence) }
        #expect(!isOnItsWay(.max))
        uploads.take()
        uploads.take()
        #expect(isOnItsWay(1))
        #expect(!isOnItsWay(0))
        #expect(!uploads.machine.isOnItsWay("other", users, upTo: .max))
        #expect(!uploads.machine.isOnItsWay("i", [users[1]], upTo: .max))
        let cut = try uploads.mustCut()
        #expect(isOnItsWay(1))
        _ = uploads.next()
        #expect(isOnItsWay(1))
        uploads.machine.finished(cut.id, .settled, now: .zero)
        #expect(!isOnItsWay(.max))
        uploads.take(Uploads.unknown)
        #expect(isOnItsWay(3))
    }

    @Test func missedIntervalsAreNotMadeUpFor() {
        var uploads = Uploads()
        uploads.take()
        #expect(uploads.next(.seconds(1000)) == "cut 1")
        #expect(uploads.next(.seconds(1000)) == "wait 1010")
    }
}
