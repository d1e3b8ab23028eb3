// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends the bytes of a number, lowest first.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { self.append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads a number whose lowest byte comes first.
    func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: self.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
