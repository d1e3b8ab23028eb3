// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One event as it came to the platform: 40 bytes in the file of what a killed process has delivered.
struct DeliveredEvent: Sendable {
    let text: EventText
    let isSound: Bool

    /// The events of a request's body; nil when the body has not the form that it should have.
    static func all(in body: UnsafeRawBufferPointer) -> [DeliveredEvent]? {
        var events: [DeliveredEvent] = []
        let isWellFormed = EventText.each(in: body) { json in
            // Begins and ends of sessions are not ours.
            guard let text = EventText(json) else { return }
            events.append(DeliveredEvent(text: text, isSound: CheckedEvent.isSound(json)))
        }
        return isWellFormed ? events : nil
    }

    /// Appends events to a file, with one call, so that they are with the kernel.
    static func append(_ events: [DeliveredEvent], to file: CInt) throws {
        var words: [UInt64] = []
        words.reserveCapacity(events.count * 5)
        for event in events {
            words.append(UInt64(event.text.producer))
            words.append(UInt64(event.text.number))
            words.append(event.text.messageID)
            words.append(event.text.bytes)
            words.append(event.isSound ? 1 : 0)
        }
        try words.withUnsafeBytes { try FileBytes.write($0, to: file) }
    }

    /// Reads what was appended to the files of some processes; an end that was cut off by a kill was never answered for.
    static func read(_ paths: [String]) throws -> [DeliveredEvent] {
        try paths.flatMap { try self.read($0) }
    }

    private static func read(_ path: String) throws -> [DeliveredEvent] {
        let bytes = try FileBytes.read(path)
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, through: bytes.count - 40, by: 40).map { place in
                func word(_ index: Int) -> UInt64 {
                    bytes.loadUnaligned(fromByteOffset: place + index * 8, as: UInt64.self)
                }
                let text = EventText(producer: Int(word(0)), number: Int(word(1)), messageID: word(2), bytes: word(3))
                return DeliveredEvent(text: text, isSound: word(4) == 1)
            }
        }
    }
}
