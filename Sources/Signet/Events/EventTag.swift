//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// What batching must know of an event, kept beside its JSON so that batching never parses: 19 bytes.
struct EventTag: Sendable, Hashable {
    /// How soon an event wants to be delivered.
    enum Urgency: UInt8, Sendable {
        /// With the next regular upload.
        case regular = 0
        /// At once: within the linger time.
        case prompt = 1
    }

    /// The number of the installation where it was logged; see ``InstallationNumbers``.
    let installation: UInt32
    /// Whose it is; nil when nobody was known, then it waits for the first user.
    let mpid: MPID?
    /// Tells the session from the one before and the one after; zero outside of one.
    let session: UInt8
    /// The number of the data plan; zero for none; see ``DataPlanNumbers``.
    let plan: UInt8
    /// When it was logged, seconds since 1970.
    let seconds: UInt32
    /// How soon.
    let urgency: Urgency

    /// Its bytes on disk.
    static let size = 19

    /// The first four bits of the first byte.
    private static let version: UInt8 = 1

    init(
        installation: UInt32,
        mpid: MPID?,
        session: UInt8 = 0,
        plan: UInt8 = 0,
        seconds: UInt32 = 0,
        urgency: Urgency = .regular
    ) {
        self.installation = installation
        self.mpid = mpid
        self.session = session
        self.plan = plan
        self.seconds = seconds
        self.urgency = urgency
    }

    /// What stands for a session in tags: one in 255 neighbours looks the same, and shares batches.
    static func mark(of session: Session?) -> UInt8 {
        guard let session else { return 0 }
        return UInt8(UInt64(bitPattern: session.id) % 255) + 1
    }

    /// Writes the bytes beside the JSON.
    ///
    /// - Parameter buffer: At least ``size`` bytes.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        buffer.storeBytes(of: Self.version << 4 | self.urgency.rawValue, toByteOffset: 0, as: UInt8.self)
        buffer.storeBytes(of: (self.mpid?.rawValue ?? 0).littleEndian, toByteOffset: 1, as: Int64.self)
        buffer.storeBytes(of: self.installation.littleEndian, toByteOffset: 9, as: UInt32.self)
        buffer.storeBytes(of: self.seconds.littleEndian, toByteOffset: 13, as: UInt32.self)
        buffer.storeBytes(of: self.session, toByteOffset: 17, as: UInt8.self)
        buffer.storeBytes(of: self.plan, toByteOffset: 18, as: UInt8.self)
    }

    /// The bytes beside the JSON.
    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.withUnsafeMutableBytes { self.write(to: $0) }
        return bytes
    }

    /// Reads the bytes; nil when they are something else.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size, bytes[0] >> 4 == Self.version, let urgency = Urgency(rawValue: bytes[0] & 0xF)
        else { return nil }
        self.init(
            installation: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 9, as: UInt32.self)),
            mpid: MPID(rawValue: Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: Int64.self))),
            session: bytes[17],
            plan: bytes[18],
            seconds: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 13, as: UInt32.self)),
            urgency: urgency
        )
    }

    /// Reads the bytes; nil when they are something else.
    init?(_ bytes: [UInt8]) {
        guard let tag = bytes.withUnsafeBytes({ EventTag($0) }) else { return nil }
        self = tag
    }
}
