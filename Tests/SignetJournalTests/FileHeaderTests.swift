// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetJournal

struct FileHeaderTests {
    @Test func eitherCopyIsEnough() {
        let header = FileHeader(kind: .snapshot, salt: 5, number: 6, base: 7)
        for position in 0..<FileHeader.size {
            var damaged = header.encoded
            damaged[position] ^= 0x40
            #expect(FileHeader.read(damaged) == .known(header))
        }
    }

    @Test func twoDamagedCopiesAndShortFilesAreUnreadable() {
        let encoded = FileHeader(kind: .log, salt: 5, number: 6, base: 7).encoded
        for position in 0..<FileHeader.copySize {
            var damaged = encoded
            damaged[position] ^= 1
            damaged[FileHeader.copySize + (position + 7) % FileHeader.copySize] ^= 1
            #expect(FileHeader.read(damaged) == .unreadable)
        }
        for size in 0..<FileHeader.size {
            #expect(FileHeader.read(Array(encoded[..<size])) == .unreadable)
        }
    }

    @Test func whatIsReadKeepsItsVersion() {
        for kind in FileHeader.Kind.allCases {
            for version in UInt16(0)...kind.version + 1 {
                var header = FileHeader(kind: kind, salt: 5, number: 6, base: 7)
                #expect(header.version == kind.version)
                header.version = version
                let isKnown = (1...kind.version).contains(version)
                #expect(FileHeader.read(header.encoded) == (isKnown ? .known(header) : .other(version: version)))
                #expect(header.isCurrent == (version == kind.version))
            }
        }
    }

    @Test func numbersThatCouldOverflowAreUnreadable() {
        for number: UInt64 in [.max, 1 << 62 + 1] {
            #expect(FileHeader.read(FileHeader(kind: .log, salt: 1, number: number, base: 1).encoded) == .unreadable)
            #expect(FileHeader.read(FileHeader(kind: .log, salt: 1, number: 1, base: number).encoded) == .unreadable)
        }
        let highest = FileHeader(kind: .log, salt: 1, number: 1 << 62, base: 0)
        #expect(FileHeader.read(highest.encoded) == .known(highest))
        #expect(highest.sequenceBefore == 0)
    }
}
