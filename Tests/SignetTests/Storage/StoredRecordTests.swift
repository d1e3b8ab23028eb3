// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTransport
import Testing

@testable import Signet

/// The bytes of each kind of record in the state log.
///
/// If a golden file fails, directories of users can no longer be read: raise the record's version instead.
@Suite struct StoredRecordTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    /// Reads a golden file; `SIGNET_GOLDEN=new` makes that of a new kind.
    private static func golden(_ sample: RecordSample) throws -> [UInt8]? {
        let file = Self.folder.appending(path: "\(sample.name).hex")
        let isNew = !FileManager.default.fileExists(atPath: file.path)
        if isNew, ProcessInfo.processInfo.environment["SIGNET_GOLDEN"] == "new" {
            let digits = Array(Hexadecimal.encode(sample.bytes))
            let lines = stride(from: 0, to: digits.count, by: 64).map {
                String(digits[$0..<min($0 + 64, digits.count)]) + "\n"
            }
            try Data(lines.joined().utf8).write(to: file)
        }
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let digits = Array(text.filter { !$0.isWhitespace })
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        return digits.count.isMultiple(of: 2) && !bytes.contains(nil) ? bytes.compactMap(\.self) : nil
    }

    private static func damage(_ sample: RecordSample, _ bytes: [UInt8]) -> SignetError? {
        do throws(SignetError) {
            _ = try sample.reencode(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: RecordSample.all) func aRecordHasItsGoldenBytes(sample: RecordSample) throws {
        let golden = try #require(try Self.golden(sample))
        // A tombstone is random.
        if sample.name != "tombstone" { #expect(sample.bytes == golden) }
        #expect(try sample.reencode(golden) == golden)
        #expect(try sample.reencode(sample.bytes) == sample.bytes)
    }

    @Test(arguments: RecordSample.all) func aShortenedRecordIsDamage(sample: RecordSample) {
        for count in 0..<sample.bytes.count {
            #expect(Self.damage(sample, Array(sample.bytes.prefix(count)))?.isDamage == true, "\(count)")
        }
        #expect(Self.damage(sample, sample.bytes + [0])?.isDamage == true)
    }

    /// A flipped bit may make another record; it never makes a crash.
    @Test(arguments: RecordSample.all) func aFlippedBitIsSafe(sample: RecordSample) {
        for index in sample.bytes.indices {
            for bit in 0..<8 {
                var bytes = sample.bytes
                bytes[index] ^= 1 << bit
                let error = Self.damage(sample, bytes)
                #expect(error == nil || error?.isDamage == true || index == 0 && error?.code == .newerFormat)
                do throws(RecordDamage) {
                    try RecordDecoder.visit(bytes, number: { _ in }, text: { _ in })
                } catch {
                    continue
                }
            }
        }
    }

    @Test(arguments: RecordSample.all) func aNewerVersionIsRefusedAsNewer(sample: RecordSample) {
        for version: UInt8 in [2, 31] {
            #expect(Self.damage(sample, [version] + sample.bytes.dropFirst())?.code == .newerFormat)
        }
        for version: UInt8 in [0, 32, UInt8(ascii: "{")] {
            #expect(Self.damage(sample, [version] + sample.bytes.dropFirst())?.isDamage == true)
        }
    }

    @Test(arguments: RecordSample.all) func unknownFieldsAreSkippedOrKept(sample: RecordSample) throws {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        encoder.write("?a", ["list": [1, 2, 3]])
        encoder.write("?b", bytes: [0, 0])
        encoder.write("a name of more than fifteen bytes", UUID())
        encoder.write("?d", IdentityFixture.mpid(1))
        let unknown = encoder.finish().dropFirst().dropLast()
        let end = sample.bytes.dropLast() + unknown + [0]
        // Two versions may write an installation's record by turns.
        let expected = sample.name.hasPrefix("identity") ? Array(end) : sample.bytes
        #expect(try sample.reencode([1] + unknown + sample.bytes.dropFirst()) == expected)
        #expect(try sample.reencode(Array(end)) == expected)
    }
}
