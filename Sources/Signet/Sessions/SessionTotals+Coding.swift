// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

extension SessionTotals {
    /// Writes the bytes on disk.
    func write(to writer: inout ByteWriter) {
        writer.write(self.session)
        writer.write(self.context)
        writer.write(self.lastMilliseconds)
        writer.write(self.length.milliseconds)
        writer.write(self.background.milliseconds)
        writer.write(self.backgroundFrom?.milliseconds ?? -1)
        writer.write(UInt32(clamping: self.interruptions))
        writer.write(UInt64(clamping: self.events))
        let mpids = self.mpids.prefix(Int(UInt16.max))
        writer.write(UInt16(mpids.count))
        for mpid in mpids { writer.write(mpid.rawValue) }
        var attributes = JSONWriter(reservingCapacity: 64)
        attributes.beginObject()
        for (key, value) in self.attributes.sorted(by: { $0.key < $1.key }) {
            attributes.key(key)
            value.write(to: &attributes)
        }
        attributes.endObject()
        writer.write(raw: attributes.bytes)
    }

    /// Reads the bytes on disk, to their end; nil if they are not totals of a session.
    init?(_ reader: inout ByteReader) {
        guard let session = Session(&reader), let context = reader.read(UInt16.self),
            let last = reader.read(Int64.self), let length = reader.readDuration(),
            let background = reader.readDuration(),
            let backgroundFrom = reader.read(Int64.self), let interruptions = reader.read(UInt32.self),
            let events = reader.read(UInt64.self), let count = reader.read(UInt16.self)
        else { return nil }
        var mpids: [MPID] = []
        for _ in 0..<count {
            guard let raw = reader.read(Int64.self), let mpid = MPID(rawValue: raw) else { return nil }
            mpids.append(mpid)
        }
        let attributes: JSONValue
        do throws(JSONError) { attributes = try JSONReader.read(Array(reader.rest)) } catch { return nil }
        guard attributes.object != nil else { return nil }
        self.init(
            session: session,
            context: context,
            lastMilliseconds: last,
            length: length,
            background: background,
            backgroundFrom: backgroundFrom < 0 ? nil : .milliseconds(backgroundFrom),
            interruptions: Int(interruptions),
            events: Int(clamping: events),
            mpids: mpids,
            attributes: [String: AttributeValue](attributes: attributes)
        )
    }

    /// Reads the format of version 0.1, which did not count events.
    init?(firstVersion bytes: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(bytes) } catch { return nil }
        guard let uuid = value["uuid"]?.string.flatMap(UUID.init(uuidString:)),
            let start = value["start"]?.number?.int64, let last = value["last"]?.number?.int64,
            let length = value["length"]?.number?.int64, length >= 0
        else { return nil }
        self.init(
            session: Session(uuid: uuid, startTime: Date(milliseconds: start)),
            lastMilliseconds: last,
            length: .milliseconds(length)
        )
    }
}

extension ByteWriter {
    /// Writes the id and the start time of a session.
    mutating func write(_ session: Session) {
        self.write(raw: session.uuid.bytes)
        self.write(session.startTime.milliseconds)
    }
}

extension Session {
    /// Reads the id and the start time of a session.
    init?(_ reader: inout ByteReader) {
        guard let uuid = reader.read(count: 16).flatMap({ UUID(bytes: $0) }), let start = reader.read(Int64.self)
        else { return nil }
        self.init(uuid: uuid, startTime: Date(milliseconds: start))
    }
}

extension ByteReader {
    /// Reads milliseconds that are not negative.
    mutating func readDuration() -> Duration? {
        self.read(Int64.self).flatMap { $0 < 0 ? nil : .milliseconds($0) }
    }
}
