// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct UploadStateMachineRuleTests {
    @Test func whatThisProcessHasLoggedHasNotWaited() {
        var uploads = Uploads(events: 10)
        uploads.take()
        uploads.machine.continueInterval(upTo: 0, now: .zero, at: 2_000_000_000)
        #expect(uploads.next() == "wait 10")
        uploads.machine.continueInterval(upTo: 1, now: .zero, at: 2_000_000_000)
        #expect(uploads.next() == "cut 1")
    }

    @Test func whatWaitedForTheFirstUserIsTheirsExactlyOnceAndInOrder() throws {
        var uploads = Uploads(events: 10)
        for _ in 0..<3 { uploads.take(user: nil) }
        uploads.take()
        #expect(uploads.machine.disputed == [1])
        #expect(uploads.machine.anonymousCount == 3)
        #expect(uploads.machine.firstUser(of: 1)?.mpid == MPID(rawValue: 1))
        uploads.attribute(to: 1)
        uploads.attribute(to: 1)
        _ = uploads.machine.aim(upTo: .max)
        let (_, cut) = try uploads.mustCut()
        #expect(cut.mpid == MPID(rawValue: 1))
        #expect(cut.sequences == [1, 2, 3, 4])
        #expect(uploads.next() == "send")
        #expect(uploads.machine.installationsWithAnonymousEvents.isEmpty)
        #expect(uploads.machine.anonymousCount == 0)
    }

    @Test func anotherUserOfTheInstallationInheritsNothingTwice() throws {
        var uploads = Uploads()
        uploads.take(user: nil)
        uploads.attribute(to: 1)
        uploads.attribute(to: 2)
        _ = uploads.machine.aim(upTo: .max)
        let (_, cut) = try uploads.mustCut()
        #expect(cut.mpid == MPID(rawValue: 1))
        #expect(uploads.next() == "send")
    }

    @Test func promptEventsThatWaitedForAUserGoAsSoonAsOneIsKnown() throws {
        var uploads = Uploads()
        uploads.take(user: nil, isPrompt: true)
        #expect(uploads.next(.seconds(3)) == "wait 10")
        uploads.attribute(to: 1, now: .seconds(3))
        #expect(uploads.next(.seconds(3)) == "cut 1")
    }

    @Test func aBatchHasOneUserOneSessionAndOneDataPlanInTheOrderOfTheJournal() throws {
        var uploads = Uploads(events: 100)
        for (user, session, plan) in [(1, 1, 0), (1, 1, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (1, 2, 3)] {
            uploads.take(user: Int64(user), session: UInt8(session), context: UInt16(plan))
        }
        _ = uploads.machine.aim(upTo: .max)
        let cuts = uploads.deliverAll()
        #expect(cuts.map(\.sequences) == [[1, 2], [3], [4], [5], [6]])
        #expect(cuts.map(\.mpid.rawValue) == [1, 2, 1, 1, 1])
        #expect(cuts.map(\.context) == [0, 0, 0, 0, 3])
    }

    @Test func theLimitOfWhatWaitsForAUserCountsAllSessions() {
        var uploads = Uploads(change: { $0.bytesWithoutUser = 1000 })
        for session in 0..<200 {
            for _ in 0..<10 { uploads.take(user: nil, session: UInt8(session % 2) + 1, bytes: 50) }
        }
        #expect((1...20).contains(uploads.machine.anonymousCount))
        #expect(uploads.machine.anonymousCount + uploads.machine.dropped.count == 2000)
        // The oldest went.
        #expect(uploads.machine.dropped == (1...UInt64(uploads.machine.dropped.count)).map { $0 })
        // Whoever comes then gets the rest, and begins with a limit of their own.
        uploads.attribute(to: 1)
        #expect(uploads.machine.anonymousCount == 0)
        for _ in 0..<20 { uploads.take(user: nil, session: 1, bytes: 50) }
        #expect(uploads.machine.anonymousCount == 20)
    }

    @Test func oneBatchThatAlwaysFailsStopsNobodyElse() throws {
        var uploads = Uploads(inFlight: 4)
        for installation: UInt32 in 1...5 { for _ in 0..<2 { uploads.take(on: installation) } }
        var now = Duration.zero
        var (settled, failed) = (0, 0)
        for _ in 0..<5000 {
            switch uploads.machine.next(now: now) {
            case .cut(let cut):
                uploads.machine.cut(UUID(), of: cut, count: cut.sequences.count, bytes: 0, size: 100)
            case .send(let request) where request.batches.contains { uploads.machine.batches[$0]?.installation == 1 }:
                failed += 1
                now += .seconds(30)
                _ = uploads.fail(request, now: now)
            case .send(let request):
                settled += 1
                now += .seconds(1)
                uploads.machine.finished(request.number, .settled, now: now)
                for installation: UInt32 in 2...5 { for _ in 0..<2 { uploads.take(on: installation, now: now) } }
            case .wait(let until):
                now = until ?? now
            }
        }
        #expect(failed > 3)
        #expect(settled > 1000)
    }

    @Test func sessionsNeverShareABatchHoweverManyThereAre() throws {
        var uploads = Uploads(events: 100)
        for session in 0..<600 { for _ in 0..<2 { uploads.take(user: nil, session: UInt8(session % 2) + 1) } }
        uploads.attribute(to: 1)
        _ = uploads.machine.aim(upTo: .max)
        #expect(uploads.deliverAll().map(\.sequences.count) == [Int](repeating: 2, count: 600))
    }

    @Test func whatIsLoggedOutsideOfASessionSharesNoBatchWithOne() throws {
        var uploads = Uploads(events: 100)
        for session: UInt8 in [7, 7, 0, 0, 7] { uploads.take(session: session) }
        _ = uploads.machine.aim(upTo: .max)
        #expect(uploads.deliverAll().map(\.sequences) == [[1, 2], [3, 4], [5]])
    }

    @Test func installationsNeverShareABatchAndNoneWaitsForAnother() throws {
        var uploads = Uploads(inFlight: 10, events: 100)
        for _ in 0..<5 { for installation in 1...4 { uploads.take(on: UInt32(installation)) } }
        uploads.take(on: 5, user: nil)
        _ = uploads.machine.aim(upTo: .max)
        var seen: [UInt32: Int] = [:]
        // None of them is answered for.
        loop: while true {
            switch uploads.machine.next(now: .zero) {
            case .cut(let cut):
                seen[cut.installation, default: 0] += cut.sequences.count
                uploads.machine.cut(UUID(), of: cut, count: cut.sequences.count, bytes: 0, size: 1)
            case .send: continue
            case .wait: break loop
            }
        }
        #expect(seen == [1: 5, 2: 5, 3: 5, 4: 5])
    }

    @Test func theNextBatchOfAnInstallationWaitsForTheAnswerToTheLast() throws {
        var uploads = Uploads(inFlight: 4, events: 1)
        for _ in 0..<3 { uploads.take() }
        _ = try uploads.mustCut()
        let request = try uploads.mustSend()
        #expect(uploads.next() == "wait 10")
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(uploads.next() == "cut 1")
    }

    @Test func whatDidNotFitIsTheBeginningOfTheNextBatch() throws {
        var uploads = Uploads(events: 3)
        for _ in 0..<3 { uploads.take() }
        guard case .cut(let cut) = uploads.machine.next(now: .zero) else {
            return #expect(Bool(false), "Three events are a full batch.")
        }
        uploads.machine.cut(UUID(), of: cut, count: 2, bytes: 20, size: 100)
        let request = try uploads.mustSend()
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(try uploads.mustCut().cut.sequences == [3])
    }

    @Test func enoughBytesAreAFullBatchToo() {
        var uploads = Uploads(events: 100, bytes: 1000)
        uploads.take(bytes: 600)
        #expect(uploads.next() == "wait 10")
        uploads.take(bytes: 600)
        #expect(uploads.next() == "cut 2")
    }

    @Test func whatIsLeftOfAFullBatchWaitsForCompany() throws {
        var uploads = Uploads(inFlight: 4, events: 2)
        for _ in 0..<5 { uploads.take() }
        #expect(uploads.deliverAll().map(\.sequences) == [[1, 2], [3, 4]])
        #expect(uploads.next() == "wait 10")
        #expect(uploads.deliverAll(.seconds(10)).map(\.sequences) == [[5]])
    }

    @Test func noMoreThanTheLimitIsUnderWay() throws {
        var uploads = Uploads(inFlight: 4, events: 1)
        for installation in 1...10 { uploads.take(on: UInt32(installation)) }
        var sent: [UploadStateMachine.Request] = []
        loop: while true {
            switch uploads.machine.next(now: .zero) {
            case .cut(let cut): uploads.machine.cut(UUID(), of: cut, count: 1, bytes: 10, size: 100)
            case .send(let request): sent.append(request)
            case .wait: break loop
            }
        }
        #expect(sent.count == 4)
        uploads.machine.finished(sent[0].number, .settled, now: .zero)
        _ = try uploads.mustCut()
        #expect(uploads.next() == "send")
        #expect(uploads.next() == "wait")
    }

    @Test func anAnswerToARequestThatIsNotUnderWayChangesNothing() {
        var uploads = Uploads()
        uploads.reach(.batchReady)
        uploads.machine.finished(0, .settled, now: .zero)
        #expect(uploads.next() == "send")
        uploads.machine.finished(0, .settled, now: .zero)
        uploads.machine.finished(0, .postponed(.seconds(5), .failure), now: .zero)
        #expect(uploads.next() == "wait 10")
    }

    @Test func aCutThatFailedIsAskedForAgainAfterThePause() throws {
        var uploads = Uploads(events: 2)
        for _ in 0..<3 { uploads.take() }
        #expect(uploads.next() == "cut 2")
        uploads.machine.pause(until: .seconds(5), .disk)
        #expect(uploads.next() == "wait 5")
        #expect(try uploads.mustCut(.seconds(5)).cut.sequences == [1, 2])
    }

    @Test func eventsThatAreGoneArePassedOver() throws {
        var uploads = Uploads(events: 2)
        for _ in 0..<4 { uploads.take() }
        guard case .cut(let cut) = uploads.machine.next(now: .zero) else {
            return #expect(Bool(false), "Two events are a full batch.")
        }
        uploads.machine.skip(cut, count: 2)
        #expect(try uploads.mustCut().cut.sequences == [3, 4])
    }

    @Test func missedIntervalsAreNotMadeUpFor() {
        var uploads = Uploads()
        uploads.take()
        #expect(uploads.next(.seconds(1000)) == "cut 1")
        #expect(uploads.deliverAll(.seconds(1000)).count == 1)
        #expect(uploads.next(.seconds(1000)) == "wait 1010")
    }

    @Test func eventsAreOnTheirWayUntilTheyAreSettled() throws {
        var uploads = Uploads()
        let users = try [#require(MPID(rawValue: 1)), #require(MPID(rawValue: 9))]
        func isOnItsWay(_ sequence: UInt64) -> Bool { uploads.machine.isOnItsWay(1, users, upTo: sequence) }
        #expect(!isOnItsWay(.max))
        uploads.take()
        uploads.take()
        #expect(isOnItsWay(1))
        #expect(!isOnItsWay(0))
        #expect(!uploads.machine.isOnItsWay(2, users, upTo: .max))
        #expect(!uploads.machine.isOnItsWay(1, [users[1]], upTo: .max))
        _ = try uploads.mustCut()
        #expect(isOnItsWay(1))
        let request = try uploads.mustSend()
        #expect(isOnItsWay(1))
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(!isOnItsWay(.max))
        uploads.take(user: nil)
        #expect(isOnItsWay(3))
    }

    @Test func theOldestEventsOfNobodyMakeRoomAndOnlyOnTheirInstallation() {
        var uploads = Uploads(events: 100) { $0.bytesWithoutUser = 1000 }
        for _ in 0..<100 { uploads.take(on: 2, user: nil, bytes: 9) }
        for _ in 0..<200 { uploads.take(user: nil, bytes: 10) }
        let dropped = uploads.machine.dropped
        #expect(dropped == (0..<UInt64(dropped.count)).map { 101 + $0 })
        #expect((100...112).contains(dropped.count))
        #expect(uploads.machine.anonymousCount == 300 - dropped.count)
    }

    @Test func aLineThatIsEmptyIsForgotten() {
        var uploads = Uploads(inFlight: 4, events: 1)
        for installation in 1...1000 { uploads.take(on: UInt32(installation)) }
        #expect(uploads.machine.lines.count == 1000)
        #expect(uploads.deliverAll().count == 1000)
        #expect(uploads.machine.lines.count == 0)
    }
}
