// SPDX-License-Identifier: Apache-2.0

#if Tool && URLSessionTransport
import SignetTransport

import struct FoundationEssentials.UUID

/// The result of resending batches.
struct ResendReport: Sendable {
    private let sent: Int
    private let left: Int
    private let refused: [UUID]
    private let unknown: [UUID]
    /// True when no batch that was to be sent is a dead letter now.
    let isGood: Bool

    /// - Parameters:
    ///   - wanted: The requested ids; empty for all.
    ///   - sent: The ids that were sent again.
    ///   - left: The ids of all dead letters now.
    init(wanted: Set<UUID>, sent: Set<UUID>, left: Set<UUID>) {
        func sorted(_ ids: Set<UUID>) -> [UUID] { ids.sorted { $0.uuidString < $1.uuidString } }
        self.sent = sent.count
        self.left = left.count
        self.refused = sorted(sent.intersection(left))
        self.unknown = sorted(wanted.subtracting(sent))
        // Waiting events that were sent too may have been refused as well.
        self.isGood = self.unknown.isEmpty && (wanted.isEmpty ? left : sent.intersection(left)).isEmpty
    }

    var json: JSONValue {
        func ids(_ ids: [UUID]) -> JSONValue { .array(ids.map { .string($0.uuidString) }) }
        return [
            "resent": .number(JSONNumber(Int64(self.sent))), "deadLettered": .number(JSONNumber(Int64(self.left))),
            "refusedAgain": ids(self.refused), "notFound": ids(self.unknown),
        ]
    }

    var text: String {
        let lines = ["\(self.sent) batches were sent again; \(self.left) are dead letters now"]
        return (lines + self.refused.map { "  \($0): refused again" } + self.unknown.map { "  \($0): not found" })
            .joined(separator: "\n")
    }
}
#endif
