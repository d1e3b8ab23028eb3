// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetJournal

struct FrameScannerTests {
    private let salt: UInt32 = 77

    private func frame(_ sequence: UInt64, value: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        bytes("key").withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                FrameHeader.encode(.put, sequence: sequence, key: key, value: value, salt: self.salt, to: &frame)
            }
        }
        return frame
    }

    private func findings(in content: [UInt8]) throws -> [FrameScanner.Finding] {
        let temporary = try TemporaryFolder()
        try temporary.store(content, as: "file")
        let file = try Folder(path: temporary.path, disk: Disk()).openFile("file")
        var scanner = FrameScanner(file, from: 0, to: UInt64(content.count), salt: self.salt)
        var findings: [FrameScanner.Finding] = []
        while true {
            let finding = try scanner.next()
            if finding == .end { return findings }
            findings.append(finding)
        }
    }

    private func header(_ sequence: UInt64, _ length: Int) -> FrameHeader {
        FrameHeader(kind: .put, keyLength: 3, valueLength: length, sequence: sequence)
    }

    @Test func framesOfAllSizesAreFoundAcrossThePiecesOfTheFile() throws {
        var content: [UInt8] = []
        var expected: [FrameScanner.Finding] = []
        let sizes = [
            0, 1, FileWindow.pieceSize - 80, 5, FileWindow.pieceSize, 3 * FileWindow.pieceSize, 7, 16 << 20, 2,
        ]
        for (index, size) in sizes.enumerated() {
            expected.append(.frame(self.header(UInt64(index), size), at: UInt64(content.count)))
            content += self.frame(UInt64(index), value: [UInt8](repeating: FrameHeader.mark, count: size))
        }
        #expect(try self.findings(in: content) == expected)
    }

    @Test func theNextFrameIsFoundBehindAGapOfAnySize() throws {
        let one = self.frame(1, value: bytes("one"))
        let two = self.frame(2, value: bytes("two"))
        for size in [1, 23, 24, 25, 1000, FileWindow.pieceSize - 10, 2 * FileWindow.pieceSize + 3] {
            for filler: UInt8 in [0, FrameHeader.mark] {
                let content = one + [UInt8](repeating: filler, count: size) + two
                let gap = UInt64(one.count)..<UInt64(one.count + size)
                let expected: [FrameScanner.Finding] = [
                    .frame(self.header(1, 3), at: 0),
                    .gap(gap),
                    .frame(self.header(2, 3), at: gap.upperBound),
                ]
                #expect(try self.findings(in: content) == expected, "\(size) bytes of \(filler)")
            }
        }
    }

    @Test func candidatesWithBigLengthsAtTheEndAreNoFrames() throws {
        let one = self.frame(1, value: bytes("one"))
        // A mark, a known kind, the longest key: the checksum would need bytes beyond the end.
        let candidate: [UInt8] = [FrameHeader.mark, 1, 0, 4, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 16)
        for count in 1...40 {
            let tail = (0..<count).flatMap { _ in candidate }
            let expected: [FrameScanner.Finding] = [
                .frame(self.header(1, 3), at: 0),
                .tail(UInt64(one.count)..<UInt64(one.count + tail.count)),
            ]
            #expect(try self.findings(in: one + tail) == expected)
        }
    }

    @Test func aPartOfAFrameIsATail() throws {
        let frame = self.frame(1, value: bytes("value"))
        for size in 1..<frame.count {
            #expect(try self.findings(in: Array(frame[..<size])) == [.tail(0..<UInt64(size))])
        }
    }

    @Test func aGapBeforeATornFrameIsPartOfTheTail() throws {
        let frame = self.frame(1, value: bytes("value"))
        for size in 0..<frame.count {
            let content = frame + bytes("gap") + frame[..<size]
            let tail = UInt64(frame.count)..<UInt64(content.count)
            #expect(try self.findings(in: content) == [.frame(self.header(1, 5), at: 0), .tail(tail)])
        }
    }

    @Test func aFrameOfAnotherSaltIsNone() throws {
        let frame = self.frame(1, value: bytes("value"))
        let other = FrameScannerTests.foreignFrame
        let expected: [FrameScanner.Finding] = [
            .gap(0..<UInt64(other.count)), .frame(self.header(1, 5), at: UInt64(other.count)),
        ]
        #expect(try self.findings(in: other + frame) == expected)
    }

    private static let foreignFrame: [UInt8] = {
        var frame: [UInt8] = []
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        FrameHeader.encode(.put, sequence: 1, key: nothing, value: nothing, salt: 78, to: &frame)
        return frame
    }()
}
