// SPDX-License-Identifier: Apache-2.0

/// What happened in a run, as one number (FNV-1a): two runs with the same number took the same way.
struct TraceHash: Sendable, Hashable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: Int) {
        withUnsafeBytes(of: Int64(number).littleEndian) { self.add($0) }
    }

    mutating func add(_ text: String) {
        self.add(text.utf8)
        self.add(text.utf8.count)
    }

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            self.value = (self.value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }
}
