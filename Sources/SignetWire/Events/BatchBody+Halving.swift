// SPDX-License-Identifier: Apache-2.0

import SignetTransport

package import struct FoundationEssentials.UUID

extension BatchBody {
    /// Replaces the id in the head of a batch, which is its first member.
    ///
    /// - Returns: Nil for bytes that ``encoded(events:)`` did not write.
    package static func rename(_ head: [UInt8], to id: UUID) -> [UInt8]? {
        var writer = JSONWriter(reservingCapacity: 64)
        writer.beginObject()
        writer.member("source_request_id", id)
        let member = writer.bytes
        guard head.count > member.count, head[member.count] == UInt8(ascii: ","),
            head.prefix(Self.idStart.count).elementsEqual(Self.idStart)
        else { return nil }
        return member + head[member.count...]
    }

    /// Splits a batch into two.
    ///
    /// - Parameters:
    ///   - body: A batch, also one that the app has changed.
    ///   - counts: The number of events for each half.
    ///   - ids: The id of each half.
    /// - Returns: Nil if the batch has another number of events.
    package static func halves(
        of body: [UInt8],
        _ counts: (first: Int, second: Int),
        _ ids: (first: UUID, second: UUID)
    ) -> (first: [UInt8], second: [UInt8])? {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(body) } catch { return nil }
        guard var batch = value.object, let events = batch["events"]?.array,
            events.count == counts.first + counts.second
        else { return nil }
        batch["source_request_id"] = .string(ids.first.uuidString)
        batch["events"] = .array(Array(events.prefix(counts.first)))
        let first = JSONValue.object(batch).encoded()
        batch["source_request_id"] = .string(ids.second.uuidString)
        batch["events"] = .array(Array(events.suffix(counts.second)))
        return (first, JSONValue.object(batch).encoded())
    }

    private static let idStart = Array("{\"source_request_id\":\"".utf8)
}
