// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// The session facts of one frame of the journal.
struct SessionFrame: Sendable {
    /// The role of a frame in its session.
    enum Kind: Sendable, Hashable {
        /// The begin of a session; nil if the frame does not name the session.
        case begin(Session?)
        /// An event in the session.
        case event
        /// The end of the session.
        case end
    }

    /// The frame's number in the journal.
    let sequence: UInt64
    /// The role of the frame in its session.
    let kind: Kind
    /// The time at which it was logged, in milliseconds since 1970.
    let milliseconds: Int64
    /// The MPID of the event's user.
    let mpid: MPID?
    /// The number of the configuration context.
    let context: UInt16

    /// Makes a frame.
    init(sequence: UInt64, kind: Kind, milliseconds: Int64, mpid: MPID?, context: UInt16 = 0) {
        self.sequence = sequence
        self.kind = kind
        self.milliseconds = milliseconds
        self.mpid = mpid
        self.context = context
    }

    /// Reads a frame; nil for one outside of sessions.
    init?(_ sequence: UInt64, _ tag: EventMetadata, _ payload: UnsafeRawBufferPointer) {
        let head = EventHead.read(payload)
        let milliseconds = head?.milliseconds ?? tag.seconds * 1000
        let kind: Kind
        switch tag.place {
        case .outside: return nil
        case .begin: kind = .begin(Self.session(Array(payload)))
        case .inside: kind = head?.kind == .sessionEnd ? .end : .event
        }
        self.init(
            sequence: sequence,
            kind: kind,
            milliseconds: milliseconds,
            mpid: tag.mpid,
            context: tag.context
        )
    }

    private static func session(_ event: [UInt8]) -> Session? {
        do throws(JSONError) {
            let data = try JSONReader.read(event)["data"]
            guard let uuid = data?["session_uuid"]?.string.flatMap(UUID.init(uuidString:)),
                let start = data?["session_start_unixtime_ms"]?.number?.int64
            else { return nil }
            return Session(uuid: uuid, startTime: Date(milliseconds: start))
        } catch {
            return nil
        }
    }
}
