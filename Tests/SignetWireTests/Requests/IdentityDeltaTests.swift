// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@Suite struct IdentityDeltaTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let stored: String?
        /// Not spoken of, removed, or set.
        let wanted: String??
        let expected: [IdentityChange]

        var testDescription: String {
            "\(self.stored ?? "absent") x \(String(describing: self.wanted))"
        }
    }

    // stored (absent, "a") x wanted (not spoken of, null, equal, different).
    static let table: [Row] = [
        Row(stored: nil, wanted: .none, expected: []),
        Row(stored: nil, wanted: .some(nil), expected: []),
        Row(stored: nil, wanted: .some("a"), expected: [IdentityChange(type: .email, old: nil, new: "a")]),
        Row(stored: "a", wanted: .none, expected: []),
        Row(stored: "a", wanted: .some(nil), expected: [IdentityChange(type: .email, old: "a", new: nil)]),
        Row(stored: "a", wanted: .some("a"), expected: []),
        Row(stored: "a", wanted: .some("b"), expected: [IdentityChange(type: .email, old: "a", new: "b")]),
        Row(stored: "a", wanted: .some("A"), expected: [IdentityChange(type: .email, old: "a", new: "A")]),
    ]

    @Test(arguments: Self.table)
    func onlyWhatDiffersIsAsked(_ row: Row) {
        var stored: [IdentityType: String] = [.other: "untouched"]
        stored[.email] = row.stored
        var wanted: [IdentityType: String?] = [:]
        if let spokenOf = row.wanted {
            wanted.updateValue(spokenOf, forKey: .email)
        }
        #expect(IdentityDelta.changes(from: stored, to: wanted) == row.expected)
    }

    @Test func changesStandInTheOrderOfWireNames() {
        let changes = IdentityDelta.changes(
            from: [.other: "z", .google: "same"],
            to: [.other: nil, .email: "e", .customerID: "c", .google: "same", .yahoo: nil, .other10: "t"]
        )
        #expect(changes.map(\.type) == [.customerID, .email, .other, .other10])
    }

    @Test func anotherSpellingOfTheSameTextIsAnotherValue() {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let changes = IdentityDelta.changes(from: [.customerID: composed], to: [.customerID: decomposed])
        #expect(changes.count == 1)
        #expect(changes.first?.new?.utf8.elementsEqual(decomposed.utf8) == true)
    }
}
