// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// Batches that are not sent as they are, and whose events go back to their queue.
struct UploadTakingBackTests {
    @Test func theEventsOfABatchThatIsTakenBackAreCutAgainInOrder() throws {
        var uploads = Uploads()
        for _ in 0..<3 { uploads.take(session: 1) }
        let (id, plan) = try uploads.mustCut()
        let request = try uploads.mustSend()
        #expect(plan.sequences == [1, 2])
        #expect(uploads.machine.takeBack(id, plan, bytes: 20, of: request.number) == nil)
        let again = try uploads.mustCut()
        #expect(again.cut == plan)
        let second = try uploads.mustSend()
        uploads.machine.finished(second.number, .settled, now: .zero)
        #expect(uploads.machine.batches.isEmpty)
        _ = uploads.machine.aim(upTo: 3)
        #expect(try uploads.mustCut().cut.sequences == [3])
    }

    /// A slow rate holds each batch until it is old: the one that is made of its events goes at once.
    @Test func whatTheRateAllowedIsAllowedAgain() throws {
        var uploads = Uploads { $0.batchesPerSecond = 1 }
        for _ in 0..<4 { uploads.take() }
        _ = try uploads.mustCut()
        let first = try uploads.mustSend()
        uploads.machine.finished(first.number, .settled, now: .zero)
        let (id, plan) = try uploads.mustCut()
        #expect(uploads.next() == "wait 1")
        let request = try uploads.mustSend(.seconds(1))
        _ = uploads.machine.takeBack(id, plan, bytes: 20, of: request.number)
        #expect(try uploads.mustCut(.seconds(1)).cut == plan)
        #expect(uploads.next(.seconds(1)) == "send")
    }

    @Test func theOthersOfTheRequestStay() throws {
        var uploads = Uploads { $0.batchesPerRequest = 10 }
        for installation in 1...2 { for _ in 0..<2 { uploads.take(on: UInt32(installation)) } }
        let first = try uploads.mustCut()
        let second = try uploads.mustCut()
        let request = try uploads.mustSend()
        let left = uploads.machine.takeBack(first.id, first.cut, bytes: 20, of: request.number)
        #expect(left?.batches == [second.id])
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(try uploads.mustCut().cut == first.cut)
    }

    @Test func aGoalIsNotReachedMeanwhile() throws {
        var uploads = Uploads()
        uploads.take()
        let goal = uploads.machine.aim(upTo: 1)
        let (id, plan) = try uploads.mustCut()
        let request = try uploads.mustSend()
        _ = uploads.machine.takeBack(id, plan, bytes: 10, of: request.number)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
        #expect(uploads.machine.left(of: goal) == 1)
    }

    @Test func aBatchThatWasDroppedMeanwhileBringsNothingBack() throws {
        var uploads = Uploads()
        for _ in 0..<2 { uploads.take() }
        let (id, plan) = try uploads.mustCut()
        let request = try uploads.mustSend()
        uploads.machine.drop(id)
        #expect(uploads.machine.takeBack(id, plan, bytes: 20, of: request.number) == nil)
        #expect(uploads.machine.lines.count == 0)
    }

    // MARK: - After a try

    @Test func theEventsOfABatchThatIsUndoneComeFirstAndInABatchOfTheirOwn() throws {
        var uploads = Uploads()
        for _ in 0..<3 { uploads.take(session: 1) }
        let (id, plan) = try uploads.mustCut()
        let request = try uploads.mustSend()
        uploads.machine.finished(request.number, .postponed(.seconds(5), .failure), now: .zero)
        uploads.machine.undo(id, Self.events(of: plan))
        _ = uploads.machine.aim(upTo: 3)
        #expect(uploads.next() == "wait 5")
        let again = try uploads.mustCut(.seconds(5))
        #expect(again.cut.sequences == plan.sequences)
        let second = try uploads.mustSend(.seconds(5))
        #expect(second.batches == [again.id])
        uploads.machine.finished(second.number, .settled, now: .seconds(5))
        // The session is the same, which the record of the batch does not say.
        let last = try uploads.mustCut(.seconds(5)).cut
        #expect(last.sequences == [3] && last.session != again.cut.session && again.cut.session != 0)
    }

    @Test func aBatchThatIsUndoneBeforeItIsSentLeavesItsRequest() throws {
        var uploads = Uploads { $0.batchesPerRequest = 10 }
        for installation in 1...2 { for _ in 0..<2 { uploads.take(on: UInt32(installation)) } }
        let first = try uploads.mustCut()
        let second = try uploads.mustCut()
        let request = try uploads.mustSend()
        uploads.machine.undo(first.id, Self.events(of: first.cut))
        #expect(uploads.machine.leaveOut(first.id, of: request.number)?.batches == [second.id])
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(try uploads.mustCut().cut.sequences == first.cut.sequences)
    }

    @Test func aBatchOfWhichNothingIsLeftIsGone() throws {
        var uploads = Uploads()
        for _ in 0..<2 { uploads.take() }
        let (id, plan) = try uploads.mustCut()
        let request = try uploads.mustSend()
        uploads.machine.undo(id, PutBackEvents(installation: 1, mpid: plan.mpid))
        #expect(uploads.machine.leaveOut(id, of: request.number) == nil)
        #expect(uploads.machine.lines.count == 0 && uploads.machine.requests.isEmpty)
    }

    @Test func aBatchWhoseRowCannotBeReadWaitsAndHoldsUpNoOther() throws {
        var uploads = Uploads()
        for installation in 1...2 { for _ in 0..<2 { uploads.take(on: UInt32(installation)) } }
        let (id, _) = try uploads.mustCut()
        let goal = uploads.machine.aim(upTo: 4, of: 1)
        let request = try uploads.mustSend()
        #expect(uploads.machine.setAside(id, until: .seconds(30), of: request.number) == nil)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .paused)
        #expect(try uploads.mustCut().cut.installation == 2)
        let other = try uploads.mustSend()
        uploads.machine.finished(other.number, .settled, now: .zero)
        uploads.take(on: 1)
        _ = uploads.machine.aim(upTo: 5, of: 1)
        #expect(uploads.next(.seconds(9)) == "wait 10")
        #expect(try uploads.mustSend(.seconds(30)).batches == [id])
    }

    private static func events(of plan: UploadStateMachine.BatchPlan) -> PutBackEvents {
        var events = PutBackEvents(installation: plan.installation, mpid: plan.mpid)
        for sequence in plan.sequences {
            let place: EventMetadata.Place = plan.session == 0 ? .outside : .inside
            let metadata = EventMetadata(installation: plan.installation, mpid: plan.mpid, place: place)
            events.append(sequence, metadata, bytes: 10)
        }
        return events
    }
}
