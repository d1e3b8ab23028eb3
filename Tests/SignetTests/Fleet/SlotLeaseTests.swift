// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Per cell of state and event.
@Suite("The slot of a shared installation") struct SlotLeaseTests {
    private static let token = UUID.random()
    private static let row = SharedInstallation(
        key: UUID.random(),
        id: "v",
        state: [1],
        tag: UUID.random(),
        tags: []
    )

    private enum Start: String, CaseIterable, Sendable {
        case free, taking, takingAgain, held, renewing, lost
    }

    /// A lease in a state; it was asked for at second 10, with a span of 15 s.
    private static func lease(_ start: Start) -> SlotLease {
        var lease = SlotLease(requestTimeout: .seconds(10))
        guard start != .free else { return lease }
        #expect(lease.ask(at: .seconds(10)) { Self.token } == .take(Self.token))
        guard start != .taking else { return lease }
        if start == .takingAgain {
            #expect(lease.ask(at: .seconds(12)) { .random() } == .take(Self.token))
            return lease
        }
        #expect(lease.take(.taken(Self.row)) == .held)
        guard start != .held else { return lease }
        #expect(lease.ask(at: .seconds(20)) { .random() } == .renew(Self.token))
        if start == .lost { #expect(lease.take(.held(Self.row)) == .superseded) }
        return lease
    }

    @Test(arguments: [
        (Start.free, SlotLease.Question.take(Self.token)), (.taking, .take(Self.token)),
        (.takingAgain, .take(Self.token)), (.held, .renew(Self.token)),
        (.renewing, .renew(Self.token)), (.lost, .nothing),
    ])
    private func ask(_ start: Start, _ expected: SlotLease.Question) {
        var lease = Self.lease(start)
        #expect(lease.ask(at: .seconds(30)) { Self.token } == expected)
    }

    @Test(arguments: [
        (Start.free, SlotLease.Verdict.ignore), (.taking, .held), (.takingAgain, .held), (.held, .ignore),
        (.renewing, .held),
        (.lost, .ignore),
    ])
    private func taken(_ start: Start, _ expected: SlotLease.Verdict) {
        var lease = Self.lease(start)
        #expect(lease.take(.taken(Self.row)) == expected)
    }

    @Test(arguments: [
        (Start.free, SlotLease.Verdict.ignore), (.taking, .busy), (.takingAgain, .busy), (.held, .ignore),
        (.renewing, .superseded),
        (.lost, .ignore),
    ])
    private func held(_ start: Start, _ expected: SlotLease.Verdict) {
        var lease = Self.lease(start)
        #expect(lease.take(.held(Self.row)) == expected)
    }

    @Test(arguments: [
        (Start.free, SlotLease.Verdict.ignore), (.taking, .isGone), (.takingAgain, .isGone), (.held, .ignore),
        (.renewing, .isGone),
        (.lost, .ignore),
    ])
    private func missing(_ start: Start, _ expected: SlotLease.Verdict) {
        var lease = Self.lease(start)
        #expect(lease.take(.isMissing) == expected)
    }

    @Test(
        arguments: [
            (Start.free, nil), (.taking, nil), (.takingAgain, nil), (.held, Self.token), (.renewing, Self.token),
            (.lost, nil),
        ] as [(Start, UUID?)]
    )
    private func notSent(_ start: Start, _ expected: UUID?) {
        var lease = Self.lease(start)
        lease.notSent()
        #expect(lease.token == expected)
        // A question that was not sent has not prolonged the slot of second 10.
        if expected != nil { #expect(!lease.maySend(at: .seconds(16))) }
    }

    @Test(
        arguments: [
            (Start.free, nil), (.taking, Self.token), (.takingAgain, Self.token), (.held, Self.token),
            (.renewing, Self.token), (.lost, nil),
        ] as [(Start, UUID?)]
    )
    private func release(_ start: Start, _ expected: UUID?) {
        var lease = Self.lease(start)
        #expect(lease.release() == expected)
        #expect(lease.token == nil)
        #expect(lease.release() == nil)
    }

    @Test func aTokenThatALostAnswerMayHaveGivenIsKept() {
        var lease = Self.lease(.takingAgain)
        lease.notSent()
        #expect(lease.ask(at: .seconds(20)) { .random() } == .take(Self.token))
        lease.notSent()
        #expect(lease.release() == Self.token)
    }

    @Test func aRequestGoesOutOnlyIfTheSlotOutlivesIt() {
        let lease = Self.lease(.held)
        #expect(lease.maySend(at: .seconds(10)))
        #expect(lease.maySend(at: .seconds(15)))
        #expect(!lease.maySend(at: .seconds(15) + .nanoseconds(1)))
        for start in [Start.free, .taking, .renewing, .lost] { #expect(!Self.lease(start).maySend(at: .seconds(10))) }
    }

    @Test func theTimeCountsFromBeforeTheQuestion() {
        var lease = Self.lease(.renewing)
        // The answer may take as long as it likes.
        _ = lease.take(.taken(Self.row))
        #expect(lease.maySend(at: .seconds(25)))
        #expect(!lease.maySend(at: .seconds(26)))
    }

    @Test func aQuestionWhoseAnswerWasLostIsAskedAgainWithItsToken() {
        var lease = Self.lease(.taking)
        #expect(lease.ask(at: .seconds(12)) { .random() } == .take(Self.token))
        _ = lease.take(.taken(Self.row))
        #expect(lease.maySend(at: .seconds(17)))
    }
}
