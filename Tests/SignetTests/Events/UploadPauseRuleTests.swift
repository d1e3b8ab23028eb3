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
            #expect(uploads.machine.countFailure(now: .zero) == 1)
            uploads.machine.finished(request.number, .postponed(.seconds(5), .failure), now: .zero)
        }
        let probe = try uploads.mustSend(.seconds(5))
        #expect(probe.batches == [ids[0]])
        #expect(uploads.next(.seconds(5)) == "wait")
        #expect(uploads.machine.countFailure(now: .seconds(5)) == 2)
        uploads.machine.finished(probe.number, .postponed(.seconds(15), .failure), now: .seconds(5))
        let second = try uploads.mustSend(.seconds(20))
        // One that has failed as a probe too leaves it to the next to find out.
        #expect(second.batches == [ids[1]])
        uploads.machine.finished(second.number, .settled, now: .seconds(20))
        #expect(try uploads.mustSend(.seconds(20)).batches == [ids[2]])
        #expect(uploads.next(.seconds(79)) == "wait 80")
        #expect(try uploads.mustSend(.seconds(80)).batches == [ids[0]])
        #expect(uploads.machine.countFailure(now: .seconds(20)) == 1)
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
