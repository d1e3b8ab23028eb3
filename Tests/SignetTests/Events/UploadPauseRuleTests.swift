// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Pauses, probes and goals of the machine.
@Suite struct UploadPauseRuleTests {
    private func threeReady(inFlight: Int = 4) -> (Uploads, [UUID]) {
        var uploads = Uploads(inFlight: inFlight)
        let ids = (0..<3).map { _ in UUID() }
        for (index, id) in ids.enumerated() { uploads.restore(id, on: UInt32(index + 1)) }
        return (uploads, ids)
    }

    @Test func aPauseHoldsEverythingBackAndItsBatchGoesFirst() throws {
        var (uploads, ids) = self.threeReady(inFlight: 1)
        let request = try uploads.mustSend()
        uploads.machine.finished(request.number, .postponed(.seconds(5), .failure), now: .zero)
        #expect(uploads.next(.seconds(4)) == "wait 5")
        #expect(try uploads.mustSend(.seconds(5)).batches == [ids[0]])
    }

    @Test func theLongestPauseCounts() throws {
        var (uploads, _) = self.threeReady()
        let requests = try (0..<2).map { _ in try uploads.mustSend() }
        uploads.machine.finished(requests[0].number, .postponed(.seconds(100), .asked), now: .zero)
        uploads.machine.finished(requests[1].number, .postponed(.seconds(5), .failure), now: .zero)
        #expect(uploads.next() == "wait 100")
        uploads.machine.resume()
        #expect(uploads.next() == "send")
    }

    @Test func afterAFailureTheOldestBatchGoesAloneUntilOneIsTaken() throws {
        var (uploads, ids) = self.threeReady()
        let requests = try (0..<3).map { _ in try uploads.mustSend() }
        // Answered in another order than they went.
        for request in [requests[2], requests[0], requests[1]] {
            #expect(uploads.fail(request, now: .zero) == .all(failures: 1))
        }
        let probe = try uploads.mustSend(.seconds(5))
        #expect(probe.batches == [ids[0]])
        // Nothing but events that have not failed before goes beside it.
        #expect(uploads.next(.seconds(5)) == "wait 10")
        #expect(uploads.fail(probe, now: .seconds(5)) == .failed(failures: 2))
        let second = try uploads.mustSend(.seconds(20))
        // One that has failed as a probe too leaves it to the next to find out.
        #expect(second.batches == [ids[1]])
        uploads.machine.finished(second.number, .settled, now: .seconds(20))
        // What made the others fail may be over for them, too: the least suspicious first.
        let third = try uploads.mustSend(.seconds(20))
        #expect(third.batches == [ids[2]])
        uploads.machine.finished(third.number, .settled, now: .seconds(20))
        let last = try uploads.mustSend(.seconds(20))
        #expect(last.batches == [ids[0]])
        #expect(uploads.fail(last, now: .seconds(20)) == .batch(failures: 3))
    }

    /// 400 and 5xx: the other visitors wait for its first failure, and for no other.
    @Test(arguments: [true, false]) func aBatchThatHasFailedBeforePausesNobody(_ isUnexplained: Bool) throws {
        var (uploads, ids) = self.threeReady(inFlight: 1)
        var now = Duration.zero
        for (index, pause) in [5, 15].enumerated() {
            let request = try uploads.mustSend(now)
            #expect(request.batches == [ids[index]])
            let setback = uploads.fail(request, isUnexplained: isUnexplained, now: now)
            #expect(setback == .all(failures: index + 1))
            #expect(uploads.machine.isPaused(now: now))
            now += .seconds(pause)
        }
        // Whatever the order, what has not failed tells whether the way is good.
        let good = try uploads.mustSend(now)
        #expect(good.batches == [ids[2]])
        uploads.machine.finished(good.number, .settled, now: now)
        var tries: [UUID: [Duration]] = [:]
        while now < .seconds(86_400) {
            // Somebody else's events come at any time, and go at once.
            uploads.restore(UUID(), on: 9)
            var isDelivered = false
            while case .send(let request) = uploads.machine.next(now: now) {
                let poison = request.batches.first.flatMap { ids.prefix(2).contains($0) ? $0 : nil }
                if let poison {
                    tries[poison, default: []].append(now)
                    guard case .batch = uploads.fail(request, isUnexplained: isUnexplained, now: now) else {
                        Issue.record("others wait")
                        return
                    }
                } else {
                    isDelivered = true
                    uploads.machine.finished(request.number, .settled, now: now)
                }
            }
            #expect(isDelivered)
            now += .seconds(7)
        }
        for id in ids.prefix(2) {
            let times = try #require(tries[id])
            #expect((24...60).contains(times.count))
            // Each hour has a try, so that a day of tries is a day.
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < .seconds(3600) })
        }
    }

    @Test func whatTheLastProcessSawFailPausesNobody() throws {
        var uploads = Uploads(inFlight: 4)
        let (poison, other) = (UUID(), UUID())
        uploads.machine.restore(poison, of: 1, MPID(rawValue: 1), first: 1, events: 1, size: 9, hasFailed: true)
        uploads.restore(other, on: 2)
        let request = try uploads.mustSend()
        #expect(request.batches == [poison])
        #expect(uploads.fail(request, isUnexplained: true, now: .zero) == .batch(failures: 2))
        #expect(try uploads.mustSend().batches == [other])
    }

    @Test func anEventIsCutForTheProbeBeforeABatchThatHasFailedGoes() throws {
        var uploads = Uploads(inFlight: 1, events: 1)
        uploads.take()
        _ = try uploads.mustCut()
        let first = try uploads.mustSend()
        #expect(uploads.fail(first, now: .zero) == .all(failures: 1))
        uploads.take(on: 2, now: .seconds(1))
        let fresh = try uploads.mustCut(.seconds(5))
        #expect(fresh.cut.installation == 2)
        #expect(try uploads.mustSend(.seconds(5)).batches == [fresh.id])
    }

    @Test func whatHasFailedOnceHasItsTurnInAQueueThatIsNeverEmpty() throws {
        var uploads = Uploads(inFlight: 1)
        let (failed, other) = (UUID(), UUID())
        uploads.machine.restore(failed, of: 1, MPID(rawValue: 1), first: 1, events: 1, size: 9, hasFailed: true)
        uploads.restore(other, on: 2)
        var sent: [UUID] = []
        for number in 0..<10 {
            let request = try uploads.mustSend()
            sent += request.batches
            uploads.restore(UUID(), on: UInt32(3 + number))
            uploads.machine.finished(request.number, .settled, now: .zero)
        }
        #expect(sent.first == other)
        #expect(sent.firstIndex(of: failed) == 8)
    }

    @Test func theAppMakesAllReady() throws {
        var uploads = Uploads(inFlight: 1)
        let id = UUID()
        uploads.restore(id)
        let first = try uploads.mustSend()
        #expect(uploads.fail(first, isUnexplained: true, now: .zero) == .all(failures: 1))
        #expect(uploads.next() == "wait 5")
        #expect(uploads.next(.seconds(9)) == "wait 10")
        uploads.machine.resume()
        #expect(try uploads.mustSend().batches == [id])
    }

    /// What is left would keep a caller waiting for a day.
    @Test func aGoalDoesNotOutwaitABatchThatRests() throws {
        var uploads = Uploads(inFlight: 1)
        uploads.restore(UUID())
        let request = try uploads.mustSend()
        let goal = uploads.machine.aim(upTo: .max)
        _ = uploads.fail(request, isUnexplained: true, now: .zero)
        #expect(uploads.machine.progress(of: goal, now: .seconds(6)) == .paused)
        _ = uploads.next(.seconds(300))
        #expect(uploads.machine.progress(of: goal, now: .seconds(300)) == .underWay)
    }

    @Test func aGoalIsReachedWhenOnlyThoseAreLeftWhoHaveNoUser() throws {
        var uploads = Uploads()
        uploads.take()
        uploads.take(on: 2, user: nil)
        let goal = uploads.machine.aim(upTo: .max)
        #expect(uploads.machine.left(of: goal) == 1)
        _ = try uploads.mustCut()
        let request = try uploads.mustSend()
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
        #expect(uploads.machine.left(of: goal) == 1)
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .reached)
        #expect(uploads.machine.left(of: goal) == 0)
    }

    @Test func aGoalIsNotHeldUpByWhatIsLoggedMeanwhile() throws {
        var uploads = Uploads(inFlight: 4, events: 1)
        uploads.take()
        let goal = uploads.machine.aim(upTo: 1)
        _ = try uploads.mustCut()
        let request = try uploads.mustSend()
        uploads.take()
        uploads.take(on: 2)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .reached)
    }

    @Test func aGoalDoesNotOutwaitAPauseButWhatIsUnderWay() throws {
        var (uploads, _) = self.threeReady()
        let requests = try (0..<2).map { _ in try uploads.mustSend() }
        let goal = uploads.machine.aim(upTo: .max)
        uploads.machine.finished(requests[0].number, .postponed(.seconds(5), .failure), now: .zero)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
        uploads.machine.finished(requests[1].number, .settled, now: .zero)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .paused)
    }

    @Test func whoIsAdoptedMeanwhileBelongsToTheGoal() throws {
        var uploads = Uploads()
        uploads.take(user: nil)
        uploads.take(on: 2)
        let goal = uploads.machine.aim(upTo: .max)
        uploads.attribute(to: 1)
        #expect(uploads.machine.left(of: goal) == 2)
        #expect(uploads.deliverAll().count == 2)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .reached)
    }

    @Test func whatIsWrittenOfAPauseIsReadAndIsNeverLongerThanItWas() throws {
        let pause = UploadPause(.asked, .seconds(100), failures: 3)
        let bytes = pause.encoded(now: 1_000_000)
        #expect(UploadPause(bytes, now: 1_030_000) == UploadPause(.asked, .seconds(70), failures: 3))
        #expect(UploadPause(bytes, now: 2_000_000)?.length == .zero)
        // Clocks that were set back, or to the ends of time.
        for now in [0, -1, Int64.min] {
            #expect(UploadPause(bytes, now: now).map { $0.length <= .seconds(100) } == true)
        }
        #expect(UploadPause(bytes, now: .max)?.length == .zero)
        for count in 0..<bytes.count { #expect(UploadPause(Array(bytes.prefix(count)), now: 0) == nil) }
        // The next start may have the right secret.
        let key = UploadPause(.unauthorized, .seconds(100), failures: 3).encoded(now: 0)
        #expect(UploadPause(key, now: 1) == UploadPause(.unauthorized, .zero, failures: 3))
    }
}
