//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

/// What identify, login, logout and search say (IDSync HTTP API, `IdentifyRequest`).
package struct IdentityBody: Sendable, Hashable {
    /// Which data set.
    package var environment: WorkspaceEnvironment
    /// A new id for each request.
    package var requestID: UUID
    /// The wall clock, milliseconds since 1970.
    package var milliseconds: Int64
    /// The current user; nil before the first.
    package var previousMPID: MPID?
    /// The `context` of the last answer, given back as it came.
    package var context: String?
    /// Who the user is to be; the platform wants at least one entry.
    package var knownIdentities: [IdentityType: String]
    /// Which SDK; nil leaves the optional member out.
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

    /// The JSON text: members in alphabetical order, so that the same request is always the same bytes.
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
            // A text: a JSON number beyond 2^53 does not survive every reader.
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
