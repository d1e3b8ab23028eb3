// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

/// The body of identify, login, logout and search (IDSync HTTP API, `IdentifyRequest`).
package struct IdentityBody: Sendable, Hashable {
    /// The data set of the workspace.
    package var environment: WorkspaceEnvironment
    /// A new id for each request.
    package var requestID: UUID
    /// The wall clock, milliseconds since 1970.
    package var milliseconds: Int64
    /// The current user; nil before the first.
    package var previousMPID: MPID?
    /// The `context` of the last answer, unchanged.
    package var context: String?
    /// The identities of the wanted user; the platform requires at least one entry.
    package var knownIdentities: [IdentityType: String]
    /// The SDK; nil leaves the optional member out.
    package var client: ClientInfo?

    package init(
        environment: WorkspaceEnvironment,
        requestID: UUID,
        milliseconds: Int64,
        previousMPID: MPID? = nil,
        context: String? = nil,
        knownIdentities: [IdentityType: String],
        client: ClientInfo? = .signet
    ) {
        self.environment = environment
        self.requestID = requestID
        self.milliseconds = milliseconds
        self.previousMPID = previousMPID
        self.context = context
        self.knownIdentities = knownIdentities
        self.client = client
    }

    /// Writes the body as JSON: members in alphabetical order, so that the same request is always the same bytes.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        self.client?.write(to: &writer)
        if let context = self.context {
            writer.member("context", context)
        }
        writer.member("environment", self.environment.rawValue)
        writer.key("known_identities")
        writer.beginObject()
        for (type, value) in self.knownIdentities.sorted(by: { $0.key < $1.key }) {
            writer.member(type.wireName, value)
        }
        writer.endObject()
        if let previousMPID = self.previousMPID {
            // A text: some readers lose digits of a JSON number beyond 2^53.
            writer.member("previous_mpid", previousMPID.description)
        }
        writer.member("request_id", self.requestID)
        writer.member("request_timestamp_ms", self.milliseconds)
        writer.endObject()
        return writer.bytes
    }
}

extension IdentityBody: CustomStringConvertible {
    /// The kinds of identities, without their values.
    package var description: String {
        let kinds = self.knownIdentities.keys.sorted().map(\.wireName).joined(separator: ", ")
        return "IdentityBody(\(self.environment.rawValue), \(self.requestID), identities: [\(kinds)])"
    }
}

/// The SDK that wrote a request (IDSync HTTP API, `client_sdk`).
package struct ClientInfo: Sendable, Hashable {
    /// The kind of client.
    package let platform: ClientPlatform
    /// The maker of the SDK.
    package let vendor: String
    /// The version of the SDK.
    package let version: String

    package init(platform: ClientPlatform, vendor: String, version: String) {
        self.platform = platform
        self.vendor = vendor
        self.version = version
    }

    /// This library on its current platform.
    package static let signet = ClientInfo.signet(on: .current)

    /// This library on a given platform.
    package static func signet(on platform: ClientPlatform) -> ClientInfo {
        ClientInfo(platform: platform, vendor: "signet", version: "0.1.0")
    }

    /// Writes the member of a request.
    func write(to writer: inout JSONWriter) {
        writer.key("client_sdk")
        writer.beginObject()
        writer.member("platform", self.platform.rawValue)
        writer.member("sdk_vendor", self.vendor)
        writer.member("sdk_version", self.version)
        writer.endObject()
    }
}
