// SPDX-License-Identifier: Apache-2.0

import Signet

/// The event of the load: a custom event with six attributes, two of which say whose it is and which one.
///
/// Attributes stand in the order of their keys, so that ``HandEncoder`` writes the same bytes whichever order the runtime
/// keeps.
enum SampleEvent {
    static let name = "level_up"
    static let mode = "duel"

    /// Makes an event, as an app does for each call.
    static func make(producer: Int, number: Int) -> Event {
        .custom(
            Self.name,
            attributes: [
                "level": .integer(Self.level(of: number)),
                "mode": .string(Self.mode),
                "n": .integer(Int64(number)),
                "ok": .bool(true),
                "p": .integer(Int64(producer)),
                "score": .integer(Self.score(of: number)),
            ]
        )
    }

    static func level(of number: Int) -> Int64 {
        Int64(10 + number % 90)
    }

    static func score(of number: Int) -> Int64 {
        Int64(1000 + number % 9000)
    }

    /// What stands for an event in a checksum of many: FNV-1a of producer and number.
    static func fingerprint(producer: Int, number: Int) -> UInt64 {
        var bytes: (UInt64, UInt64) = (UInt64(producer).littleEndian, UInt64(number).littleEndian)
        return withUnsafeBytes(of: &bytes) { Bytes.hash($0) }
    }
}
