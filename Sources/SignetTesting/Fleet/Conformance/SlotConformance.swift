// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.UUID

/// Slots: taken, renewed and released.
enum SlotConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a free slot is taken for a time, and nothing else changes") { bench in
            var row = try await bench.makeRow { ($0.session, $0.outbox) = (.begin(bench.session()), .set([1])) }
            let wish = bench.wish(row)
            let answer = try await bench.store.takeSlot(wish, for: .seconds(20))
            let slot = SharedInstallation.Slot(
                token: wish.token,
                owner: wish.owner,
                until: answer.milliseconds + 20_000
            )
            row.slot = slot
            let found = try await bench.mustRead(row.key)
            try bench.expect(answer.value, .taken(found), "the answer is the row with the slot")
            // The end is counted from a moment of the call; the answer's time is one as well.
            let distance = (found.slot?.until ?? 0) - slot.until
            try bench.expect(
                abs(distance) <= 5_000,
                found: "\(distance) ms off",
                "until the answer's time plus the span"
            )
            row.slot?.until = found.slot?.until ?? 0
            try bench.expect(found, row, "tag, session and outbox are the same")
        },
        Case("a slot in use is held") { bench in
            let row = try await bench.makeRow()
            try await bench.mustTake(bench.wish(row), for: .seconds(60))
            let held = try await bench.mustRead(row.key)
            let outcome = try await bench.store.takeSlot(bench.wish(row), for: .seconds(60)).value
            try bench.expect(outcome, .held(held), "the row tells who has it")
            try bench.expect(try await bench.read(row.key), held, "nothing was changed")
        },
        Case("the token that has the slot has it again") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            let first = try await bench.mustTake(wish, for: .seconds(20))
            let second = try await bench.mustTake(wish, for: .seconds(60))
            try bench.expect(second.token, wish.token, "the token is the same")
            try bench.expect(second.until > first.until, found: "\(second.until)", "the time is the new one")
        },
        Case("a slot over its time is free") { bench in
            let row = try await bench.makeRow()
            let slot = try await bench.mustTake(bench.wish(row), for: .milliseconds(5))
            try await bench.wait(past: slot.until)
            let wish = bench.wish(row)
            let taken = try await bench.mustTake(wish, for: .seconds(60))
            try bench.expect(taken.token, wish.token, "the new token has it")
        },
        Case("a slot further ahead than twice the span is free: the database's clock was set back") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            try await bench.mustTake(wish, for: .seconds(100))
            let held = try await bench.mustRead(row.key)
            let outcome = try await bench.store.takeSlot(bench.wish(row), for: .seconds(55)).value
            try bench.expect(outcome, .held(held), "100 s are not further than twice 55 s")
            let other = bench.wish(row)
            let taken = try await bench.mustTake(other, for: .seconds(40))
            try bench.expect(taken.token, other.token, "100 s are further than twice 40 s")
        },
        Case("a renewal moves the end of the slot") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            let first = try await bench.mustTake(wish, for: .seconds(20))
            let outcome = try await bench.store.renewSlot(wish, for: .seconds(60)).value
            let found = try await bench.mustRead(row.key)
            try bench.expect(outcome, .taken(found), "the token still has it")
            try bench.expect((found.slot?.until ?? 0) > first.until, found: "\(found)", "it ends later")
            try bench.expect(found.tag, row.tag, "the tag is the same")
        },
        Case("a slot over its time is renewed while nobody has taken it") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            let slot = try await bench.mustTake(wish, for: .milliseconds(5))
            try await bench.wait(past: slot.until)
            let outcome = try await bench.store.renewSlot(wish, for: .seconds(60)).value
            try bench.expect(outcome, .taken(try await bench.mustRead(row.key)), "nobody was faster")
            let later = try await bench.store.takeSlot(bench.wish(row), for: .seconds(60)).value
            try bench.expect(later, .held(try await bench.mustRead(row.key)), "it is in use again")
        },
        Case("a slot that another has taken is not renewed") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            let slot = try await bench.mustTake(wish, for: .milliseconds(5))
            try await bench.wait(past: slot.until)
            try await bench.mustTake(bench.wish(row), for: .seconds(60))
            let held = try await bench.mustRead(row.key)
            let outcome = try await bench.store.renewSlot(wish, for: .seconds(60)).value
            try bench.expect(outcome, .held(held), "the token has lost it")
            try bench.expect(try await bench.read(row.key), held, "nothing was changed")
        },
        Case("a slot that nobody has is not renewed") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            var outcome = try await bench.store.renewSlot(wish, for: .seconds(60)).value
            try bench.expect(outcome, .held(row), "it was never taken")
            try await bench.mustTake(wish, for: .seconds(60))
            try await bench.store.releaseSlot(wish)
            outcome = try await bench.store.renewSlot(wish, for: .seconds(60)).value
            try bench.expect(outcome, .held(row), "it was released")
            try bench.expect(try await bench.read(row.key), row, "nothing was changed")
        },
        Case("a missing row has no slot") { bench in
            let row = bench.row(made: bench.creation())
            let wish = bench.wish(row)
            let taken = try await bench.store.takeSlot(wish, for: .seconds(60)).value
            try bench.expect(taken, .isMissing, "nothing to take")
            let renewed = try await bench.store.renewSlot(wish, for: .seconds(60)).value
            try bench.expect(renewed, .isMissing, "nothing to renew")
            try await bench.store.releaseSlot(wish)
            try bench.expect(try await bench.read(row.key), nil, "no row was made")
        },
        Case("a slot is released by its own token alone") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            try await bench.mustTake(wish, for: .seconds(60))
            let held = try await bench.mustRead(row.key)
            try await bench.store.releaseSlot(SharedSlotRequest(key: row.key, token: .random(), owner: wish.owner))
            try bench.expect(try await bench.read(row.key), held, "another token releases nothing")
            try await bench.store.releaseSlot(wish)
            try bench.expect(try await bench.read(row.key), row, "its own does")
            try await bench.store.releaseSlot(wish)
            try await bench.mustTake(bench.wish(row), for: .seconds(60))
            let next = try await bench.mustRead(row.key)
            try await bench.store.releaseSlot(wish)
            try bench.expect(try await bench.read(row.key), next, "a repetition harms nobody")
        },
    ]
}

/// Commits that are fenced by a slot.
enum SlotCommitConformance: ConformanceSubject {
    static let cases: [Case] = [
        Case("a commit with the slot's token frees the slot") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            try await bench.mustTake(wish, for: .seconds(60))
            var change = bench.change(row, state: [8])
            change.slotToken = wish.token
            try await bench.mustCommit(change)
            let found = try await bench.mustRead(row.key)
            try bench.expect(found.slot, nil, "the slot is free")
            try bench.expect(found.state, [8], "the state is the commit's")
        },
        Case("a commit without a token leaves the slot alone") { bench in
            let row = try await bench.makeRow()
            try await bench.mustTake(bench.wish(row), for: .seconds(60))
            let slot = try await bench.mustRead(row.key).slot
            try await bench.mustCommit(bench.change(row, state: [8]))
            try bench.expect(try await bench.mustRead(row.key).slot, slot, "attributes change beside a request")
        },
        Case("a commit with a lost slot differs") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            let slot = try await bench.mustTake(wish, for: .milliseconds(5))
            try await bench.wait(past: slot.until)
            try await bench.mustTake(bench.wish(row), for: .seconds(60))
            let now = try await bench.mustRead(row.key)
            var change = bench.change(row, state: [8])
            change.slotToken = wish.token
            try bench.expect(try await bench.commit(change), .differs(now), "the tag is right, the slot is another's")
            try bench.expect(try await bench.read(row.key), now, "nothing was changed")
        },
        Case("a commit with a released slot differs") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            var change = bench.change(row, state: [8])
            change.slotToken = wish.token
            try bench.expect(try await bench.commit(change), .differs(row), "it was never taken")
            try await bench.mustTake(wish, for: .seconds(60))
            try await bench.store.releaseSlot(wish)
            try bench.expect(try await bench.commit(change), .differs(row), "it was released")
            try bench.expect(try await bench.read(row.key), row, "nothing was changed")
        },
        Case("a slot over its time counts while nobody has taken it") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            let slot = try await bench.mustTake(wish, for: .milliseconds(5))
            try await bench.wait(past: slot.until)
            var change = bench.change(row, state: [8])
            change.slotToken = wish.token
            try await bench.mustCommit(change)
            try bench.expect(try await bench.mustRead(row.key).slot, nil, "the slot is free")
        },
        Case("a commit on an old tag keeps the slot") { bench in
            let row = try await bench.makeRow()
            let wish = bench.wish(row)
            try await bench.mustTake(wish, for: .seconds(60))
            try await bench.mustCommit(bench.change(row, state: [1]))
            let now = try await bench.mustRead(row.key)
            var change = bench.change(row, state: [8])
            change.slotToken = wish.token
            try bench.expect(try await bench.commit(change), .differs(now), "the tag is old")
            change.condition = .tag(now.tag)
            try await bench.mustCommit(change)
            try bench.expect(try await bench.mustRead(row.key).slot, nil, "the next try has the slot still")
        },
    ]
}

extension SharedStoreConformance.Bench {
    /// A wish with a random token.
    func wish(_ row: SharedInstallation) -> SharedSlotRequest {
        SharedSlotRequest(key: row.key, token: .random(), owner: .random())
    }

    /// Takes a slot, and fails the case if that is refused.
    @discardableResult
    func mustTake(_ wish: SharedSlotRequest, for span: Duration) async throws -> SharedInstallation.Slot {
        let outcome = try await self.store.takeSlot(wish, for: span).value
        guard case .taken(let row) = outcome, let slot = row.slot else {
            throw SharedStoreConformance.Failure(
                name: self.name,
                rule: "the slot is free",
                expected: "taken",
                found: "\(outcome)"
            )
        }
        return slot
    }
}
