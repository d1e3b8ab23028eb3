// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport
import Testing

struct CRC32CTests {
    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        var checksum = CRC32C()
        var byTable = CRC32C()
        bytes.withUnsafeBytes { checksum.update($0) }
        bytes.withUnsafeBytes { byTable.updateByTable($0) }
        #expect(checksum.value == byTable.value)
        return checksum.value
    }

    /// Bit by bit, from the definition.
    private func slowChecksum(_ bytes: [UInt8]) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 {
                remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
            }
        }
        return ~remainder
    }

    @Test func theVectorsOfRFC3720Match() {
        #expect(self.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(self.checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(self.checksum([UInt8](0..<32)) == 0x46DD_794E)
        #expect(self.checksum([UInt8](0..<32).reversed()) == 0x113F_DB5C)
        // An iSCSI SCSI read (10) command.
        let command: [UInt8] = [
            0x01, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18,
            0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        ]
        #expect(self.checksum(command) == 0xD996_3A56)
    }

    @Test func theProcessorsInstructionIsUsedWhereTheProcessorHasIt() {
        #if arch(arm64) && canImport(Darwin)
        #expect(CRC32C.hasHardware)
        #endif
        if !CRC32C.hasHardware { print("CRC-32C by table only: this processor has no instruction for it") }
    }

    @Test func theUsualCheckWordMatches() {
        #expect(self.checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(self.checksum([]) == 0)
    }

    @Test func everyLengthAndAlignmentMatchesTheDefinition() {
        var generator = SeededGenerator(seed: 7)
        let bytes = generator.bytes(100...100)
        for start in 0..<9 {
            for end in start...bytes.count {
                let part = Array(bytes[start..<end])
                let fast = bytes.withUnsafeBytes { whole in
                    var checksum = CRC32C()
                    checksum.update(UnsafeRawBufferPointer(rebasing: whole[start..<end]))
                    return checksum.value
                }
                #expect(fast == self.slowChecksum(part))
                #expect(self.checksum(part) == fast)
            }
        }
    }

    @Test func longBytesMatchTheDefinition() {
        var generator = SeededGenerator(seed: 9)
        let bytes = generator.bytes(1300...1300)
        for count in [119, 120, 121, 239, 240, 311, 312, 313, 325, 432, 624, 700, 1299, 1300] {
            let part = Array(bytes[..<count])
            #expect(self.checksum(part) == self.slowChecksum(part), "\(count) bytes")
        }
    }

    @Test func piecesGiveTheSameAsTheWhole() {
        var generator = SeededGenerator(seed: 8)
        let bytes = generator.bytes(64...64)
        for cut in 0...bytes.count {
            var checksum = CRC32C()
            Array(bytes[..<cut]).withUnsafeBytes { checksum.update($0) }
            Array(bytes[cut...]).withUnsafeBytes { checksum.update($0) }
            #expect(checksum.value == self.checksum(bytes))
        }
    }

    @Test func twoSaltsNeverGiveTheSame() {
        let bytes = Array("the same bytes".utf8)
        var seen: Set<UInt32> = []
        for salt in UInt32(1)...10_000 {
            var checksum = CRC32C(salt: salt)
            bytes.withUnsafeBytes { checksum.update($0) }
            seen.insert(checksum.value)
        }
        #expect(seen.count == 10_000)
    }

    @Test func aSaltIsItsFourBytesLowestFirst() {
        var salted = CRC32C(salt: 0x0403_0201)
        Array("x".utf8).withUnsafeBytes { salted.update($0) }
        #expect(salted.value == self.slowChecksum([1, 2, 3, 4] + Array("x".utf8)))
    }
}
