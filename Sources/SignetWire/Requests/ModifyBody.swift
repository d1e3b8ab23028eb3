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
