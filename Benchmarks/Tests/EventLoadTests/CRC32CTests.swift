// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct CRC32CTests {
    // RFC 3720, B.4.
    private static let examples: [(bytes: [UInt8], checksum: UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        ([UInt8](0..<32), 0x46DD_794E),
        ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
    ]

    @Test(arguments: Self.examples)
    func itIsThatOfTheRFC(_ bytes: [UInt8], _ checksum: UInt32) {
        #expect(bytes.withUnsafeBytes { CRC32C.of($0) } == checksum)
    }

    @Test func partsGiveTheChecksumOfTheWhole() {
        let bytes = (0..<999).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        bytes.withUnsafeBytes { whole in
            for cut in [0, 1, 7, 8, 500, 999] {
                let first = CRC32C.of(UnsafeRawBufferPointer(rebasing: whole[..<cut]))
                #expect(CRC32C.of(UnsafeRawBufferPointer(rebasing: whole[cut...]), after: first) == CRC32C.of(whole))
            }
        }
    }
}
