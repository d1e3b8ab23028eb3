// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct ConstantTimeTests {
    @Test func equalBytesAreEqual() {
        #expect(ConstantTime.isEqual([], []))
        #expect(ConstantTime.isEqual([1, 2, 255], [1, 2, 255]))
    }

    @Test func oneBitAnywhereMakesTheDifference() {
        let bytes = SHA256.hash([])
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                #expect(!ConstantTime.isEqual(bytes, other))
            }
        }
    }

    @Test func differencesDoNotCancelOut() {
        #expect(!ConstantTime.isEqual([1, 1], [2, 2]))
        #expect(!ConstantTime.isEqual([0x80, 0x80], [0, 0]))
    }

    @Test func aPrefixIsNotEqual() {
        #expect(!ConstantTime.isEqual([1, 2], [1, 2, 0]))
        #expect(!ConstantTime.isEqual([0], []))
    }
}
