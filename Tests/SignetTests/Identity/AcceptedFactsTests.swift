// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import SignetWire
import Testing

@testable import Signet

/// A change of attributes is unsent until the platform has accepted a batch with it.
@Suite struct AcceptedFactsTests {
    private static let mpid = IdentityFixture.mpid(7)

    private static func directory(_ entry: (inout UserDirectory.Entry) -> Void) -> UserDirectory {
        var user = UserDirectory.Entry(firstSeen: 0, lastSeen: 0)
        entry(&user)
        return UserDirectory(createdAt: 0, entries: [Self.mpid: user], current: Self.mpid, lastChange: 100)
    }

    private static func facts(_ changes: [String: Int64]) -> NumberedFacts {
        NumberedFacts(changes: changes)
    }

    /// A process that dies after the record of the user was told finds it here.
    @Test func aConsentOfWhichAnOlderOneCameLateIsOwed() {
        var directory = Self.directory { $0.unsentConsent = nil }
        var facts = NumberedFacts()
        facts.version = UserConsent.Version(number: 1, hash: 1)
        #expect(directory.accept(facts, of: Self.mpid, consent: .inOrder) == nil)
        #expect(directory.accept(facts, of: Self.mpid, consent: .late) == .late)
        #expect(directory.entries[Self.mpid]?.unsentConsent == 101)
        #expect(directory.entries[Self.mpid]?.consentForEvents == nil, "a batch without events brings it")
    }

    @Test func exactlyWhatWasCarriedIsForgotten() {
        var directory = Self.directory {
            $0.attributes = ["a": 1, "b": 2]
            ($0.changed, $0.removals) = (["a": 1, "b": 6], ["c": 3, "d": 4])
        }
        // "b" was set again since, "d" was in no batch.
        let acceptance = directory.accept(Self.facts(["a": 1, "b": 2, "c": 3]), of: Self.mpid)
        #expect(acceptance == .inOrder)
        #expect(directory.entries[Self.mpid]?.changed == ["b": 6])
        #expect(directory.entries[Self.mpid]?.removals == ["d": 4])
    }

    @Test func aBatchAfterARefusedOneLeavesWhatThatCarried() {
        var directory = Self.directory {
            $0.attributes = ["a": 1, "b": 2]
            $0.changed = ["a": 1, "b": 6]
        }
        #expect(directory.accept(Self.facts(["b": 6]), of: Self.mpid) == .inOrder)
        #expect(directory.entries[Self.mpid]?.changed == ["a": 1])
        #expect(directory.accept(Self.facts(["a": 1]), of: Self.mpid) == .inOrder)
        #expect(directory.entries[Self.mpid]?.changed == [:])
    }

    @Test func whatALateBatchBringsIsUnsentAgain() {
        var directory = Self.directory {
            $0.attributes = ["a": 2]
            $0.changed = ["a": 6]
            $0.removals = ["b": 7]
        }
        _ = directory.accept(Self.facts(["a": 6, "b": 7]), of: Self.mpid)
        #expect(directory.accept(Self.facts(["a": 1, "b": 2]), of: Self.mpid) == .late)
        #expect(directory.entries[Self.mpid]?.changed.keys.sorted() == ["a"])
        #expect(directory.entries[Self.mpid]?.removals.keys.sorted() == ["b"])
    }

    @Test func whatIsSaidAgainHasNoNumberAndChangesNothing() {
        var directory = Self.directory { $0.attributes = ["a": 1] }
        let before = directory
        #expect(directory.accept(Self.facts(["a": 0]), of: Self.mpid) == nil)
        #expect(directory == before)
    }

    // MARK: - In a batch

    private static func user() -> BatchUser {
        var user = BatchUser()
        user.attributes = ["a": 1, "b": 2]
        (user.changed, user.removals) = (["b": 6], [("c", 7)])
        return user
    }

    @Test func aBatchCarriesTheChangesOrAll() {
        let changes = BatchFacts(Self.user(), .changes)
        #expect(changes.attributes == ["b": 2])
        #expect(changes.removed == ["c"])
        #expect(changes.numbered.changes == ["b": 6, "c": 7])
        let all = BatchFacts(Self.user(), .all)
        #expect(all.attributes == ["a": 1, "b": 2])
        #expect(all.numbered.changes == ["b": 6, "c": 7])
        #expect(BatchFacts(BatchUser(), .changes).numbered.isEmpty)
    }

    @Test func whatAHeldBatchCarriesIsInNoOther() {
        let facts = BatchFacts(Self.user(), .changes, held: ["b": 6, "c": 7])
        #expect(facts.attributes == [:])
        #expect(facts.removed == [])
        // Set again since.
        #expect(BatchFacts(Self.user(), .changes, held: ["b": 5]).attributes == ["b": 2])
    }

    @Test func whatIsSaidAgainIsAsItIsNow() {
        let facts = BatchFacts(Self.user(), .changes, again: RepeatedFacts(keys: ["a", "gone"], consent: true))
        #expect(facts.attributes == ["a": 1, "b": 2])
        #expect(facts.removed == ["c", "gone"])
        #expect(facts.numbered.changes == ["a": 0, "b": 6, "c": 7, "gone": 0])
        #expect(facts.consent == ConsentState())
    }

    @Test func removalsBeyondTheLimitWait() {
        var user = BatchUser()
        user.removals = (1...10).map { (String(repeating: "k", count: 199) + "\($0)", Int64($0)) }
        let facts = BatchFacts(user, .changes)
        #expect(facts.removed == user.removals.prefix(3).map(\.key))
        #expect(facts.numbered.changes.values.sorted() == [1, 2, 3])
        user.removals = [(String(repeating: "k", count: 1000), 1)]
        #expect(BatchFacts(user, .changes).removed.count == 1)
    }
}
