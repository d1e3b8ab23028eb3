// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

/// The bytes of each version, as `FORMAT.md` describes them; written by hand and by a second implementation
/// of the page.
///
/// If one of these fails, files of users can no longer be read: raise the version instead.
struct FormatTests {
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    private static func frame(
        _ kind: FrameHeader.Kind,
        _ sequence: UInt64,
        _ key: String,
        _ value: String,
        salt: UInt32
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        Array(key.utf8).withUnsafeBytes { key in
            Array(value.utf8).withUnsafeBytes { value in
                FrameHeader.encode(kind, sequence: sequence, key: key, value: value, salt: salt, to: &bytes)
            }
        }
        return bytes
    }

    static let salt: UInt32 = 0x1122_3344

    /// Header of log number 1, base 1, in version 1.
    static let logHeader = Self.bytes(
        """
        53474e542e6c6f67 0100 0000 44332211 0100000000000000 0100000000000000 00000000 5655fde8
        53474e542e6c6f67 0100 0000 44332211 0100000000000000 0100000000000000 00000000 5655fde8
        """
    )

    /// `put` 1 of key "k1" with value "one", `put` 2 of "k2" with "two", `remove` 3 of "k1".
    static let frames = [
        Self.bytes("f501 0200 03000000 0100000000000000 0fc5e9c0 055e4ba4 6b31 6f6e65"),
        Self.bytes("f501 0200 03000000 0200000000000000 e5ccaf8b d99e53ef 6b32 74776f"),
        Self.bytes("f502 0200 00000000 0300000000000000 9fdf8d4f 9fdf8d4f 6b31"),
    ]

    /// Frames 1, 2 and 3 of a journal with salt 5: stamps "s1", "s2", "s3", payloads "{}", "[]", "{1}".
    static let journalFrames = [
        Self.bytes("020000 02 010000000000 757b 094fc7a8 7331 7b7d"),
        Self.bytes("020000 02 020000000000 fcc7 b818c945 7332 5b5d"),
        Self.bytes("030000 02 030000000000 ce67 9f74b83b 7333 7b317d"),
    ]

    /// Header of log number 1, base 1, in version 2.
    static let secondLogHeader = Self.bytes(
        """
        53474e542e6c6f67 0200 0000 44332211 0100000000000000 0100000000000000 00000000 fbbe2f0b
        53474e542e6c6f67 0200 0000 44332211 0100000000000000 0100000000000000 00000000 fbbe2f0b
        """
    )

    /// `put due` 1 of key "k1" with value "one", `put` 2 of "k2" with "two", `put due` 3 of "k2" with "due", `put` 4 of
    /// "k1" with "new", `put due` 5 of "k3" with nothing, `put due` 6 of "k4" with "x", `remove` 7 of "k4".
    static let dueFrames = [
        Self.bytes("f503 0200 03000000 0100000000000000 b17d207f 7fb1ccca 6b31 6f6e65"),
        Self.bytes("f501 0200 03000000 0200000000000000 e5ccaf8b d99e53ef 6b32 74776f"),
        Self.bytes("f503 0200 03000000 0300000000000000 fe0f30ff 9a2c038d 6b32 647565"),
        Self.bytes("f501 0200 03000000 0400000000000000 2dcbd228 33c906aa 6b31 6e6577"),
        Self.bytes("f503 0200 00000000 0500000000000000 0b877f41 0b877f41 6b33"),
        Self.bytes("f503 0200 01000000 0600000000000000 b84ca499 d9d16991 6b34 78"),
        Self.bytes("f502 0200 00000000 0700000000000000 04be1159 04be1159 6b34"),
    ]

    @Test func theFileHeaderHasItsGoldenBytes() {
        var header = FileHeader(kind: .log, salt: Self.salt, number: 1, base: 1)
        #expect(header.encoded == Self.secondLogHeader)
        #expect(FileHeader.read(Self.secondLogHeader) == .known(header))
        header.version = 1
        #expect(header.encoded == Self.logHeader)
        #expect(FileHeader.read(Self.logHeader) == .known(header))
    }

    @Test func theFramesHaveTheirGoldenBytes() {
        #expect(Self.frame(.put, 1, "k1", "one", salt: Self.salt) == Self.frames[0])
        #expect(Self.frame(.put, 2, "k2", "two", salt: Self.salt) == Self.frames[1])
        #expect(Self.frame(.remove, 3, "k1", "", salt: Self.salt) == Self.frames[2])
        #expect(Self.frame(.putDue, 1, "k1", "one", salt: Self.salt) == Self.dueFrames[0])
        #expect(Self.frame(.putDue, 5, "k3", "", salt: Self.salt) == Self.dueFrames[4])
    }

    @Test func aGoldenLogOpens() throws {
        let folder = try TemporaryFolder()
        let file = Self.logHeader + Self.frames.joined()
        try folder.store(file, as: "0000000000000001.log")
        let log = try StateLog(directory: folder.path)
        #expect(log.recovery.records == 1)
        #expect(
            log.recovery
                == {
                    var report = RecoveryReport()
                    report.records = 1
                    return report
                }()
        )
        #expect(try log.value(for: Array("k2".utf8)) == Array("two".utf8))
        #expect(try log.value(for: Array("k1".utf8)) == nil)
        #expect(log.dueCount == 0)
        try log.put(Array("three".utf8), for: Array("k3".utf8))
        log.close()
        #expect(try folder.contents(of: "0000000000000001.log") == file)
        let next = try folder.contents(of: "0000000000000002.log")
        guard case .known(let header) = FileHeader.read(next) else {
            Issue.record("The next file has no header.")
            return
        }
        #expect(header.base == 4)
        #expect(Array(next.dropFirst(80)) == Self.frame(.put, 4, "k3", "three", salt: header.salt))
    }

    @Test func aGoldenLogWithDueRecordsOpens() throws {
        let folder = try TemporaryFolder()
        let file = Self.secondLogHeader + Self.dueFrames.joined()
        try folder.store(file, as: "0000000000000001.log")
        let log = try StateLog(directory: folder.path)
        var report = RecoveryReport()
        report.records = 3
        #expect(log.recovery == report)
        #expect(try log.value(for: Array("k1".utf8)) == Array("new".utf8))
        #expect(log.dueCount == 2)
        #expect(try SampleLog.due(in: log) == ["k2": "due", "k3": ""])
        try log.put(Array("two".utf8), for: Array("k2".utf8))
        try log.put(Array("two".utf8), for: Array("k2".utf8), isDue: true)
        log.close()
        let expected =
            file + Self.frame(.put, 8, "k2", "two", salt: Self.salt)
            + Self.frame(.putDue, 9, "k2", "two", salt: Self.salt)
        #expect(try folder.contents(of: "0000000000000001.log") == expected)
    }

    /// Snapshot number 2 in version 1: `put` 2 of key "k2" with "two", and the end at 3.
    private static let snapshot =
        Self.bytes(
            """
            53474e542e736e70 0100 0000 44332211 0200000000000000 0400000000000000 00000000 50d3d1e1
            53474e542e736e70 0100 0000 44332211 0200000000000000 0400000000000000 00000000 50d3d1e1
            """
        ) + Self.frames[1] + Self.bytes("f505 0000 00000000 0300000000000000 33cb5c15 33cb5c15")

    @Test func aGoldenSnapshotOpens() throws {
        let folder = try TemporaryFolder()
        try folder.store(Self.snapshot, as: "0000000000000002.snapshot")
        let log = try StateLog(directory: folder.path)
        #expect(log.recovery.damagedRecords == 0)
        #expect(try SampleLog.state(of: log) == ["k2": "two"])
        try SampleLog.put("due", for: "k2", in: log)
        try log.compact()
        #expect(try SampleLog.state(of: log) == ["k2": "due"])
    }

    /// Header of journal number 1, base 1, salt 5.
    static let journalHeader = Self.bytes(
        """
        53474e542e6a726e 0100 0000 05000000 0100000000000000 0100000000000000 00000000 28f67b2c
        53474e542e6a726e 0100 0000 05000000 0100000000000000 0100000000000000 00000000 28f67b2c
        """
    )

    /// Acknowledgements number 2, base 4, salt 6, of the frames 1 and 3.
    static let acknowledgements = Self.bytes(
        """
        53474e542e61636b 0100 0000 06000000 0200000000000000 0400000000000000 00000000 5a3eb065
        53474e542e61636b 0100 0000 06000000 0200000000000000 0400000000000000 00000000 5a3eb065
        f504 0000 20000000 0300000000000000 daed469a 14e0568f
        01000000000000000100000000000000 03000000000000000300000000000000
        """
    )

    @Test func aGoldenJournalOpens() throws {
        let folder = try TemporaryFolder()
        let name = "0000000000000001.journal"
        let file = Self.journalHeader + Self.journalFrames.joined()
        try folder.store(file, as: name)
        try folder.store(Self.acknowledgements, as: "0000000000000002.acks")
        let journal = try Journal(directory: folder.path)
        #expect(journal.recovery.damagedRecords == 0)
        #expect(journal.liveCount == 1)
        let frame = Journal.Frame(sequence: 2, stamp: Array("s2".utf8), payload: Array("[]".utf8))
        #expect(try journal.frames(after: 0, limit: 10) == [frame])
        #expect(try journal.append(stamp: [], payload: []) == 4)
        journal.close()
        #expect(try folder.contents(of: name) == file)
        #expect(try folder.contents(of: "0000000000000002.acks") == Self.acknowledgements)
    }

    /// Salts are random, so the bytes are compared with those that a second encoder makes of the golden frames.
    @Test(arguments: Journal.Options.Storage.both)
    func aJournalWritesTheGoldenBytesWithItsOwnSalt(storage: Journal.Options.Storage) throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(directory: folder.path, storage: storage)
        for (stamp, payload) in [("s1", "{}"), ("s2", "[]"), ("s3", "{1}")] {
            _ = try journal.append(stamp: Array(stamp.utf8), payload: Array(payload.utf8))
        }
        journal.close()
        let file = try folder.contents(of: "0000000000000001.journal")
        let salt = Array(file[12..<16])
        var expected = Array(Self.journalHeader[..<12]) + salt + Array(Self.journalHeader[16..<36])
        expected += Self.crc(expected)
        expected += expected
        for golden in Self.journalFrames {
            let (start, stamp, payload) = (Array(golden[..<10]), Array(golden[16..<18]), Array(golden[18...]))
            let check = Self.crc(salt + start + stamp)
            expected += start + [check[0] ^ check[2], check[1] ^ check[3]]
            expected += Self.crc(salt + start + stamp + payload) + stamp + payload
        }
        #expect(file == expected)
    }

    private static func crc(_ bytes: [UInt8]) -> [UInt8] {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1 }
        }
        return withUnsafeBytes(of: (~remainder).littleEndian) { Array($0) }
    }

    @Test func eachKindOfFileHasItsMagic() {
        let magics = FileHeader.Kind.allCases.map(\.rawValue)
        #expect(magics == ["SGNT.log", "SGNT.snp", "SGNT.jrn", "SGNT.ack", "SGNT.asd", "SGNT.spr"])
    }

    @Test func eachKindOfFrameHasItsNumber() {
        let numbers = [FrameHeader.Kind.put, .remove, .putDue, .acknowledge, .end, .copy].map(\.rawValue)
        #expect(numbers == [1, 2, 3, 4, 5, 6])
    }
}
