// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.IdentityType
import struct SignetModel.MPID

/// A checked modify request.
struct ModifyRequest: Sendable {
    /// One identity set, changed or removed.
    struct Change: Sendable {
        let type: IdentityType
        /// Nil when the identity is new.
        let old: String?
        /// Nil when the identity is removed.
        let new: String?
    }

    let mpid: MPID
    /// In the order of the request; never empty.
    let changes: [Change]

    private static let members = ClientMembers.common.union(["identity_changes"])

    init(_ body: JSONValue, target: RequestTarget) throws(Refusal) {
        guard target.segments.count == 3, let mpid = MPID(String(target.segments[1])) else {
            throw .badRequest("The path must name an MPID: a decimal number that is not zero.")
        }
        let members = try ObjectReader(body, allowed: Self.members)
        try ClientMembers.check(members)
        guard let value = members.value("identity_changes") else { throw members.missing("identity_changes") }
        guard let items = value.array, !items.isEmpty else {
            throw members.wrong("identity_changes", "an array of at least one change")
        }
        var changes: [Change] = []
        for (position, item) in items.enumerated() {
            changes.append(try Self.change(item, path: "identity_changes[\(position)]"))
        }
        self.mpid = mpid
        self.changes = changes
    }

    // All three members are required, but may be null; a change from null to null is refused.
    private static func change(_ item: JSONValue, path: String) throws(Refusal) -> Change {
        let names = ["identity_type", "old_value", "new_value"]
        let members = try ObjectReader(item, path: path, allowed: Set(names))
        for name in names where !members.holds(name) {
            throw members.missing(name)
        }
        guard let name = try members.text("identity_type"), let type = IdentityName.identityType(wireName: name) else {
            throw members.wrong("identity_type", "the name of an identity type")
        }
        let old = try members.text("old_value")
        let new = try members.text("new_value")
        guard old != nil || new != nil else {
            throw .badRequest("'\(path)' changes nothing: both values are null.")
        }
        guard new != "" else { throw members.wrong("new_value", "null or a string that is not empty") }
        return Change(type: type, old: old, new: new)
    }
}
