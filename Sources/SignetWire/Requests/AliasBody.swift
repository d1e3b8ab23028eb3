// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

/// The body of alias: copies the events of one user in a window of time to another (HTTP API of the vendors' SDKs).
package struct AliasBody: Sendable, Hashable {
    /// A new id for each request.
    package var requestID: UUID
    /// The data set of the workspace.
    package var environment: WorkspaceEnvironment
    /// The workspace's key, which this body repeats.
    package var apiKey: String
    /// The user whose events are copied.
    package var source: MPID
    /// The user who receives the events.
    package var destination: MPID
    /// The start of the window, milliseconds since 1970.
    package var start: Int64
    /// The end of the window, milliseconds since 1970.
    package var end: Int64
    /// The installation's permanent id.
    package var deviceApplicationStamp: UUID

    package init(
        requestID: UUID,
        environment: WorkspaceEnvironment,
        apiKey: String,
        source: MPID,
        destination: MPID,
        start: Int64,
        end: Int64,
        deviceApplicationStamp: UUID
    ) {
        self.requestID = requestID
        self.environment = environment
        self.apiKey = apiKey
        self.source = source
        self.destination = destination
        self.start = start
        self.end = end
        self.deviceApplicationStamp = deviceApplicationStamp
    }

    /// Writes the body as JSON, members in alphabetical order; unlike elsewhere in IDSync, MPIDs are numbers.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        writer.member("api_key", self.apiKey)
        writer.key("data")
        writer.beginObject()
        writer.member("destination_mpid", self.destination.rawValue)
        writer.member("device_application_stamp", self.deviceApplicationStamp)
        writer.member("end_unixtime_ms", self.end)
        writer.member("source_mpid", self.source.rawValue)
        writer.member("start_unixtime_ms", self.start)
        writer.endObject()
        writer.member("environment", self.environment.rawValue)
        writer.member("request_id", self.requestID)
        writer.member("request_type", "alias")
        writer.endObject()
        return writer.bytes
    }
}

extension AliasBody: CustomStringConvertible {
    /// The users and the request, without the key.
    package var description: String {
        "AliasBody(\(self.requestID), from \(self.source) to \(self.destination))"
    }
}
