// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// A dead letter as stored on disk: a batch that is not sent again automatically, with the reason and all bytes.
struct DeadLetterRecord: Sendable, Hashable {
    /// The number of the installation; 0 if it is not known.
    var installation: UInt32
    /// The MPID of the user of the events; nil if it is not known.
    var mpid: MPID?
    /// The number of events.
    var events: Int
    /// The status of the platform's answer; nil if the platform did not reject the batch.
    var status: Int?
    /// The time of the failure, milliseconds since 1970; 0 if it is not known.
    var milliseconds: Int64
    /// The reason for the failure.
    var reason: String
    /// The bytes of the batch.
    var body: [UInt8]

    private static let version: UInt8 = 1

    init(
        installation: UInt32,
        mpid: MPID?,
        events: Int,
        status: Int?,
        milliseconds: Int64,
        reason: String,
        body: [UInt8]
    ) {
        self.installation = installation
        self.mpid = mpid
        self.events = events
        self.status = status
        self.milliseconds = milliseconds
        self.reason = reason
        self.body = body
    }

    /// Returns the bytes on disk.
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 64 + self.reason.utf8.count + self.body.count)
        writer.write(Self.version)
        writer.write(self.installation)
        writer.write(self.mpid?.rawValue ?? 0)
        writer.write(UInt32(clamping: self.events))
        writer.write(UInt16(clamping: self.status ?? 0))
        writer.write(self.milliseconds)
        writer.write(String(self.reason.prefix(1000)))
        writer.write(raw: self.body)
        return writer.bytes
    }

    /// Reads the bytes on disk; nil if they are not a dead letter.
    ///
    /// The first version stored the bare batch; properties that it does not contain stay unknown.
    init?(_ bytes: [UInt8]) {
        if bytes.first == UInt8(ascii: "{") {
            self.init(bare: bytes)
            return
        }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version,
            let installation = reader.read(UInt32.self),
            let mpid = reader.read(Int64.self),
            let events = reader.read(UInt32.self),
            let status = reader.read(UInt16.self),
            let milliseconds = reader.read(Int64.self),
            let reason = reader.readText()
        else { return nil }
        self.init(
            installation: installation,
            mpid: MPID(rawValue: mpid),
            events: Int(events),
            status: status == 0 ? nil : Int(status),
            milliseconds: milliseconds,
            reason: reason,
            body: Array(reader.rest)
        )
    }

    private init?(bare body: [UInt8]) {
        do throws(JSONError) {
            let batch = try JSONReader.read(body)
            self.init(
                installation: 0,
                mpid: batch["mpid"]?.number?.int64.flatMap(MPID.init(rawValue:)),
                events: batch["events"]?.array?.count ?? 0,
                status: nil,
                milliseconds: 0,
                reason: "The platform refused the batch for good.",
                body: body
            )
        } catch {
            return nil
        }
    }
}
