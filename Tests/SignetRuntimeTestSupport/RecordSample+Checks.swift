// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Signet
import SignetModel
import SignetTransport
import Testing

// What holds for each kind of record. A golden file is the record of an earlier build: if it fails, directories of users can no
// longer be read; raise the record's version instead.
extension RecordSample {
    /// - Parameter test: A file of the test target, in a folder beside `Golden`.
    /// - Throws: What keeps the golden file from being read.
    package func checkGoldenBytes(besides test: String = #filePath) throws {
        let folder = URL(filePath: test).deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Golden"
        )
        let golden = try #require(try self.golden(in: folder))
        // A tombstone is random.
        if self.name != "tombstone" { #expect(self.bytes == golden) }
        #expect(try self.reencode(golden) == golden)
        #expect(try self.reencode(self.bytes) == self.bytes)
    }

    package func checkThatShortenedOnesAreDamage() {
        for count in 0..<self.bytes.count {
            #expect(self.damage(Array(self.bytes.prefix(count)))?.isDamage == true, "\(count)")
        }
        #expect(self.damage(self.bytes + [0])?.isDamage == true)
    }

    /// A flipped bit may make another record; it never makes a crash.
    package func checkFlippedBits() {
        for index in self.bytes.indices {
            for bit in 0..<8 {
                var bytes = self.bytes
                bytes[index] ^= 1 << bit
                let error = self.damage(bytes)
                #expect(error == nil || error?.isDamage == true || index == 0 && error?.code == .newerFormat)
                do throws(RecordDamage) {
                    try RecordDecoder.visit(bytes, number: { _ in }, text: { _ in })
                } catch {
                    continue
                }
            }
        }
    }

    package func checkVersions() {
        for version: UInt8 in [2, 31] {
            #expect(self.damage([version] + self.bytes.dropFirst())?.code == .newerFormat)
        }
        for version: UInt8 in [0, 32, UInt8(ascii: "{")] {
            #expect(self.damage([version] + self.bytes.dropFirst())?.isDamage == true)
        }
    }

    package func checkUnknownFields() throws {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        encoder.write("?a", ["list": [1, 2, 3]])
        encoder.write("?b", bytes: [0, 0])
        encoder.write("a name of more than fifteen bytes", UUID())
        encoder.write("?d", MPID(rawValue: 1))
        let unknown = encoder.finish().dropFirst().dropLast()
        let end = self.bytes.dropLast() + unknown + [0]
        // Two versions may write an installation's record by turns.
        let expected = self.name.hasPrefix("identity") ? Array(end) : self.bytes
        #expect(try self.reencode([1] + unknown + self.bytes.dropFirst()) == expected)
        #expect(try self.reencode(Array(end)) == expected)
    }

    /// Reads a golden file; `SIGNET_GOLDEN=new` makes that of a new kind.
    private func golden(in folder: URL) throws -> [UInt8]? {
        let file = folder.appending(path: "\(self.name).hex")
        let isNew = !FileManager.default.fileExists(atPath: file.path)
        if isNew, ProcessInfo.processInfo.environment["SIGNET_GOLDEN"] == "new" {
            let digits = Array(Hexadecimal.encode(self.bytes))
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

    private func damage(_ bytes: [UInt8]) -> SignetError? {
        do throws(SignetError) {
            _ = try self.reencode(bytes)
            return nil
        } catch {
            return error
        }
    }
}
