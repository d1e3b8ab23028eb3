//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

/// What a frame of the journal says of the session that it lies in.
struct SessionFrame: Sendable {
    /// What it is to its session.
    enum Kind: Sendable, Hashable {
        /// Its begin; nil when it does not say which.
        case begin(Session?)
        /// An event in it.
        case event
        /// Its end.
        case end
    }

    /// Its number.
    let sequence: UInt64
    /// What it is.
    let kind: Kind
    /// When it was logged, milliseconds since 1970.
    let milliseconds: Int64
    /// Whose it is.
    let mpid: MPID?
    /// The number of what the configuration said.
    let context: UInt16

    /// Makes a frame.
    init(sequence: UInt64, kind: Kind, milliseconds: Int64, mpid: MPID?, context: UInt16 = 0) {
        self.sequence = sequence
        self.kind = kind
        self.milliseconds = milliseconds
        self.mpid = mpid
        self.context = context
    }

    /// Reads a frame; nil for one that lies in no session.
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
