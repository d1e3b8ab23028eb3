// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What the machine does with events and batches of a user who is being erased.
@Suite struct UploadForgettingRuleTests {
    private static let one = IdentityFixture.mpid(1)

    @Test func whatWaitsIsTakenOffAndOthersAreNot() {
        var uploads = Uploads(events: 10)
        for user in [1, 2, 1, 2] { uploads.take(user: Int64(user)) }
        uploads.take(on: 2, user: 1)
        let found1 = uploads.machine.forget(Self.one, except: []).isEmpty
        #expect(found1)
        _ = uploads.machine.aim(upTo: .max)
        // The events of the other are neighbours now.
        let cuts2 = uploads.deliverAll().map(\.sequences)
        #expect(cuts2 == [[2, 4]])
        #expect(uploads.machine.lines.used.isEmpty)
    }

    @Test func whatComesLaterIsNotTakenInUntilTheUserIsBack() {
        var uploads = Uploads(events: 10)
        _ = uploads.machine.forget(Self.one, except: [])
        for _ in 0..<3 { uploads.take() }
        uploads.machine.limitForgetting(Self.one, to: 4)
        for _ in 0..<3 { uploads.take() }
        _ = uploads.machine.aim(upTo: .max)
        let cuts3 = uploads.deliverAll().map(\.sequences)
        #expect(cuts3 == [[5, 6]])
        uploads.machine.finishForgetting(Self.one)
        #expect(!uploads.machine.isForgotten(Self.one, 1))
    }

    @Test func aBatchThatIsNotOnTheWireIsDroppedAndTheNextGoes() throws {
        var uploads = Uploads()
        let (first, second) = (UUID(), UUID())
        uploads.restore(first)
        uploads.restore(second, user: 2)
        let found4 = uploads.machine.forget(Self.one, except: [])
        #expect(found4 == [first])
        let request = try uploads.mustSend()
        #expect(request.batches == [second])
    }

    @Test func aBatchBehindAnotherIsDroppedAndTheFirstGoesOnce() throws {
        var uploads = Uploads()
        let (first, second) = (UUID(), UUID())
        uploads.restore(first, user: 2)
        uploads.restore(second)
        let found5 = uploads.machine.forget(Self.one, except: [])
        #expect(found5 == [second])
        let sent6 = try uploads.mustSend().batches
        #expect(sent6 == [first])
        #expect(uploads.next() == "wait")
    }

    @Test func aBatchOnTheWireMayArriveButIsNotTriedAgain() throws {
        for result in [
            UploadStateMachine.Result.postponed(.seconds(1), .failure), .apart(isOfPlatform: true), .settled,
        ] {
            var uploads = Uploads(inFlight: 2)
            let id = UUID()
            uploads.restore(id)
            let request = try uploads.mustSend()
            let found7 = uploads.machine.forget(Self.one, except: [id]).isEmpty
            #expect(found7)
            #expect(uploads.machine.batches.count == 1)
            uploads.machine.finished(request.number, result, now: .zero)
            #expect(uploads.machine.batches.isEmpty)
            #expect(uploads.machine.lines.used.isEmpty)
            guard case .wait = uploads.machine.next(now: .seconds(600)) else {
                Issue.record("\(result)")
                continue
            }
        }
    }

    @Test func aBatchThatIsSharedWithAnotherUserLetsThatOneBeTriedAgain() throws {
        var uploads = Uploads { $0.batchesPerRequest = 10 }
        let (first, second) = (UUID(), UUID())
        uploads.restore(first)
        uploads.restore(second, on: 2, user: 2)
        let request = try uploads.mustSend()
        #expect(request.batches == [first, second])
        _ = uploads.machine.forget(Self.one, except: [first, second])
        uploads.machine.finished(request.number, .postponed(.seconds(1), .failure), now: .zero)
        let sent8 = try uploads.mustSend(.seconds(2)).batches
        #expect(sent8 == [second])
    }

    @Test func anAnswerForAnAbandonedBatchChangesNothing() throws {
        var uploads = Uploads()
        let id = UUID()
        uploads.restore(id)
        let request = try uploads.mustSend()
        _ = uploads.machine.forget(Self.one, except: [id])
        uploads.machine.drop(id)
        uploads.take(user: 2)
        _ = uploads.machine.aim(upTo: .max)
        uploads.machine.finished(request.number, .postponed(.zero, .failure), now: .zero)
        let cuts9 = uploads.deliverAll(.seconds(1)).map(\.sequences)
        #expect(cuts9 == [[1]])
    }

    @Test(arguments: [UploadStateMachine.Result.settled, .apart(isOfPlatform: true), .postponed(.zero, .failure)])
    func nothingOvertakesAnAbandonedBatchThatIsStillOnTheWire(result: UploadStateMachine.Result) throws {
        var uploads = Uploads(inFlight: 3)
        let (first, second, other) = (UUID(), UUID(), UUID())
        uploads.restore(first)
        uploads.restore(second, user: 2)
        let request = try uploads.mustSend()
        _ = uploads.machine.forget(Self.one, except: [first])
        uploads.machine.drop(first)
        uploads.take(user: 2)
        uploads.restore(other, on: 2, user: 2)
        _ = uploads.machine.aim(upTo: .max)
        // Another installation goes on.
        let passing = try uploads.mustSend().batches
        #expect(passing == [other])
        #expect(uploads.next() == "wait 10")
        uploads.machine.finished(request.number, result, now: .zero)
        let next = try uploads.mustSend().batches
        #expect(next == [second])
    }

    @Test func aBatchThatIsMadeBehindAnAbandonedOneWaitsToo() throws {
        var uploads = Uploads(inFlight: 2)
        let first = UUID()
        uploads.restore(first)
        let request = try uploads.mustSend()
        _ = uploads.machine.forget(Self.one, except: [first])
        uploads.machine.drop(first)
        uploads.take(user: 2)
        uploads.take(user: 2)
        let (made, _) = try uploads.mustCut()
        #expect(uploads.next() == "wait 10")
        uploads.machine.finished(request.number, .settled, now: .zero)
        let next = try uploads.mustSend().batches
        #expect(next == [made])
    }

    @Test func aStuckBatchIsForgottenAndTheOthersAreProbed() throws {
        var uploads = Uploads()
        let (first, second) = (UUID(), UUID())
        uploads.restore(first)
        uploads.restore(second, on: 2, user: 2)
        for round in 1...4 {
            let request = try uploads.mustSend(.seconds(1000 * round))
            _ = uploads.fail(request, now: .seconds(1000 * round))
        }
        _ = uploads.machine.forget(Self.one, except: [])
        let sent10 = try uploads.mustSend(.seconds(5000)).batches
        #expect(sent10 == [second])
    }

    @Test func nobodyWaitsForEventsThatWereErased() {
        var uploads = Uploads(events: 10)
        uploads.take()
        let goal = uploads.machine.aim(upTo: .max)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
        _ = uploads.machine.forget(Self.one, except: [])
        #expect(uploads.machine.progress(of: goal, now: .zero) == .reached)
    }

    @Test func eventsOfNobodyAreErasedWithTheirHeir() {
        var uploads = Uploads(events: 10)
        for _ in 0..<2 { uploads.take(user: nil) }
        uploads.attribute(to: 1)
        _ = uploads.machine.forget(Self.one, except: [])
        #expect(uploads.machine.lines.used.isEmpty)
        uploads.take(user: nil)
        // Told only now.
        uploads.attribute(to: 1)
        #expect(uploads.machine.lines.used.isEmpty)
        #expect(uploads.machine.anonymousCount == 0)
    }

    @Test func eventsOfNobodyGoToTheirHeirsByTheirNumbers() {
        var uploads = Uploads(events: 10)
        for user in [nil, nil, 2, nil, nil, nil, 3] as [Int64?] { uploads.take(user: user) }
        #expect(uploads.machine.installationsWithAnonymousEvents == [1])
        uploads.machine.attribute(1, to: Self.one, upTo: 1, now: .zero)
        uploads.machine.attribute(1, to: nil, upTo: 2, now: .zero)
        uploads.machine.attribute(1, to: IdentityFixture.mpid(2), upTo: 5, now: .zero)
        #expect(uploads.machine.anonymousCount == 1)
        #expect(uploads.machine.firstUser(of: 1)?.mpid == IdentityFixture.mpid(3))
        #expect(uploads.machine.installationsWithAnonymousEvents == [1])
        uploads.machine.attribute(1, to: IdentityFixture.mpid(3), now: .zero)
        _ = uploads.machine.aim(upTo: .max)
        let cuts = uploads.deliverAll()
        #expect(cuts.map(\.mpid.rawValue) == [1, 2, 3])
        #expect(cuts.map(\.sequences) == [[1], [3, 4, 5], [6, 7]])
        #expect(uploads.machine.anonymousCount == 0)
    }
}
