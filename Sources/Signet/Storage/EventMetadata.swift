// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The properties of an event that batching needs, kept beside its JSON so that batching never parses: 22 bytes.
struct EventMetadata: Sendable, Hashable {
    /// The urgency of an event's delivery.
    enum Urgency: UInt8, Sendable {
        /// With the next regular upload.
        case regular = 0
        /// Soon: within the priority upload delay.
        case prompt = 1
    }

    /// The position of an event in the sessions of its installation, which follow one another.
    ///
    /// It is enough to separate the events of one session from those of the next.
    enum Place: UInt8, Sendable {
        /// In no session.
        case outside = 0
        /// In the same session as the event before.
        case inside = 1
        /// The first event of a session.
        case begin = 2
    }

    /// The number of the installation that logged the event; see ``InstallationNumbers``.
    let installation: UInt32
    /// The user; nil if the event waits for the first user.
    let mpid: MPID?
    /// The position of the event in its session.
    let place: Place
    /// The number of the configuration's context; zero for none; see ``BatchContexts``.
    let context: UInt16
    /// The number of the installation's context; zero for none; see ``InstallationContexts``.
    let own: UInt32
    /// The time at which the event was logged, in minutes since the begin of 2020; up to 2051.
    private let minutes: UInt32
    let urgency: Urgency

    /// The size on disk in bytes.
    static let size = 22

    /// The upper three bits of the first byte; then one bit of urgency, two that are zero, and two of the place.
    private static let version: UInt8 = 1
    /// The begin of 2020, seconds since 1970.
    private static let epoch: Int64 = 1_577_836_800

    init(
        installation: UInt32,
        mpid: MPID?,
        place: Place = .outside,
        context: UInt16 = 0,
        own: UInt32 = 0,
        seconds: Int64 = 0,
        urgency: Urgency = .regular
    ) {
        self.installation = installation
        self.mpid = mpid
        self.place = place
        self.context = context
        self.own = own
        self.minutes = UInt32(min((max(seconds, Self.epoch) - Self.epoch) / 60, 1 << 24 - 1))
        self.urgency = urgency
    }

    /// The time at which the event was logged, seconds since 1970, to the minute; its age counts from it.
    var seconds: Int64 {
        Int64(self.minutes) * 60 + Self.epoch
    }

    /// The time at which the event was logged, milliseconds since 1970.
    ///
    /// - Parameter event: Its JSON. Its time is that of the logging, unless the app gave it another one.
    /// - Returns: The time; for an event with a time of its own the begin of the minute, as the rest is not on disk.
    func milliseconds(of event: UnsafeRawBufferPointer) -> Int64 {
        let minute = self.seconds * 1000
        guard let time = EventHead.read(event)?.milliseconds, (minute..<minute + 60_000).contains(time) else {
            return minute
        }
        return time
    }

    /// Writes the bytes beside the JSON.
    ///
    /// - Parameter buffer: A buffer of at least ``size`` bytes.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        let first = Self.version << 5 | self.urgency.rawValue << 4 | self.place.rawValue
        buffer.storeBytes(of: first, toByteOffset: 0, as: UInt8.self)
        buffer.storeBytes(of: (self.mpid?.rawValue ?? 0).littleEndian, toByteOffset: 1, as: Int64.self)
        buffer.storeBytes(of: self.installation.littleEndian, toByteOffset: 9, as: UInt32.self)
        let last = self.minutes | UInt32(self.context & 0xFF) << 24
        buffer.storeBytes(of: last.littleEndian, toByteOffset: 13, as: UInt32.self)
        buffer.storeBytes(of: UInt8(self.context >> 8), toByteOffset: 17, as: UInt8.self)
        buffer.storeBytes(of: self.own.littleEndian, toByteOffset: 18, as: UInt32.self)
    }

    /// Returns the bytes beside the JSON.
    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.withUnsafeMutableBytes { self.write(to: $0) }
        return bytes
    }

    /// Reads the bytes; nil if they are not metadata.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size, bytes[0] >> 5 == Self.version,
            let urgency = Urgency(rawValue: bytes[0] >> 4 & 1), let place = Place(rawValue: bytes[0] & 0xF)
        else { return nil }
        let last = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 13, as: UInt32.self))
        self.init(
            installation: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 9, as: UInt32.self)),
            mpid: MPID(rawValue: Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: Int64.self))),
            place: place,
            context: UInt16(last >> 24) | UInt16(bytes[17]) << 8,
            own: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 18, as: UInt32.self)),
            seconds: Int64(last & 0xFF_FFFF) * 60 + Self.epoch,
            urgency: urgency
        )
    }

    /// Reads the bytes; nil if they are not metadata.
    init?(_ bytes: [UInt8]) {
        guard let tag = bytes.withUnsafeBytes({ EventMetadata($0) }) else { return nil }
        self = tag
    }
}
