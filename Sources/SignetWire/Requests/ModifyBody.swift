// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

/// The body of modify (IDSync HTTP API, `ModifyRequest`); the path names the user.
package struct ModifyBody: Sendable, Hashable {
    /// The data set of the workspace.
    package var environment: WorkspaceEnvironment
    /// A new id for each request.
    package var requestID: UUID
    /// The wall clock, milliseconds since 1970.
    package var milliseconds: Int64
    /// The changes, in the order in which they are written.
    package var changes: [IdentityChange]
    /// The SDK; nil leaves the optional member out.
    package var client: ClientInfo?

    package init(
        environment: WorkspaceEnvironment,
        requestID: UUID,
        milliseconds: Int64,
        changes: [IdentityChange],
        client: ClientInfo? = .signet
    ) {
        self.environment = environment
        self.requestID = requestID
        self.milliseconds = milliseconds
        self.changes = changes
        self.client = client
    }

    /// Writes the body as JSON, members in alphabetical order.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        self.client?.write(to: &writer)
        writer.member("environment", self.environment.rawValue)
        writer.key("identity_changes")
        writer.beginArray()
        for change in self.changes {
            writer.beginObject()
            writer.member("identity_type", change.type.wireName)
            // All three members are required; null means "did not exist" and "remove".
            writer.member("new_value", change.new)
            writer.member("old_value", change.old)
            writer.endObject()
        }
        writer.endArray()
        writer.member("request_id", self.requestID)
        writer.member("request_timestamp_ms", self.milliseconds)
        writer.endObject()
        return writer.bytes
    }
}

/// One difference between the stored and the wanted identities of a user.
package struct IdentityChange: Sendable, Hashable {
    /// The type of the identity.
    package let type: IdentityType
    /// The stored value; nil when the identity is new.
    package let old: String?
    /// The wanted value; nil when the identity is removed.
    package let new: String?

    package init(type: IdentityType, old: String?, new: String?) {
        self.type = type
        self.old = old
        self.new = new
    }
}

extension IdentityChange: CustomStringConvertible {
    /// The kind of change, without values.
    package var description: String {
        let verb =
            switch (self.old, self.new) {
            case (nil, _): "add"
            case (_, nil): "remove"
            case (_, _): "replace"
            }
        return "IdentityChange(\(verb) \(self.type))"
    }
}

/// Computes the changes of a modify request.
package enum IdentityDelta {
    /// Compares the stored identities of a user with the wanted ones.
    ///
    /// Removing an identity that the user does not have is no change, nor is setting the same value again. Values are compared
    /// by their bytes: two Unicode spellings of one text are two values to the platform.
    ///
    /// - Parameters:
    ///   - stored: The identities of the user that the request is bound to.
    ///   - wanted: The identities to change: a value sets, nil removes.
    /// - Returns: The differences, in the order of wire names; empty when no request is needed.
    package static func changes(
        from stored: [IdentityType: String],
        to wanted: [IdentityType: String?]
    ) -> [IdentityChange] {
        var changes: [IdentityChange] = []
        for (type, new) in wanted.sorted(by: { $0.key < $1.key }) {
            let old = stored[type]
            if !Self.isSame(old, new) {
                changes.append(IdentityChange(type: type, old: old, new: new))
            }
        }
        return changes
    }

    private static func isSame(_ old: String?, _ new: String?) -> Bool {
        switch (old, new) {
        case (nil, nil): true
        case (let old?, let new?): old.utf8.elementsEqual(new.utf8)
        case (nil, _?), (_?, nil): false
        }
    }
}
