// SPDX-License-Identifier: Apache-2.0

/// Writes the small binary records of the runtime: little-endian numbers, and strings after their length.
struct ByteWriter {
    /// The written bytes.
    private(set) var bytes: [UInt8] = []

    init(reservingCapacity capacity: Int = 64) {
        self.bytes.reserveCapacity(capacity)
    }

    mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { self.bytes.append(contentsOf: $0) }
    }

    /// Writes a text of at most 65,535 bytes.
    mutating func write(_ text: String) {
        self.write(UInt16(clamping: text.utf8.count))
        self.bytes.append(contentsOf: text.utf8.prefix(Int(UInt16.max)))
    }

    mutating func write(raw bytes: some Sequence<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }
}
