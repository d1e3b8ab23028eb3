// SPDX-License-Identifier: Apache-2.0

/// Reads the output of ``ByteWriter``; nil for anything else.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The bytes that have not been read yet.
    var rest: ArraySlice<UInt8> {
        self.bytes[self.position...]
    }

    mutating func read<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        let size = MemoryLayout<Number>.size
        guard self.bytes.count - self.position >= size else { return nil }
        defer { self.position += size }
        return self.bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: self.position, as: Number.self))
        }
    }

    mutating func readText() -> String? {
        guard let count = self.read(UInt16.self), let bytes = self.read(count: Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func read(count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, self.bytes.count - self.position >= count else { return nil }
        defer { self.position += count }
        return self.bytes[self.position..<self.position + count]
    }
}
