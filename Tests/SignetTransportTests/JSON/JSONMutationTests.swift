// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetTestSupport
import SignetTransport
import Testing

/// The fuzzer's corpus, changed at random: a short, repeatable share of what `Tests/Fuzz/run` does at length.
@Suite struct JSONMutationTests {
    private static let mutations = 2000
    private static let limits = JSONLimits(bytes: 1 << 12, depth: 8, values: 12)

    private static func corpus() throws -> [[UInt8]] {
        let folder = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus/JSONReaderFuzz")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { Array(try Data(contentsOf: folder.appending(path: $0))) }
    }

    @Test func whatIsReadIsWrittenAndReadAgainTheSame() throws {
        var generator = SeededGenerator(defaultSeed: 0x5167_6E65)
        print("SIGNET_SEED=\(generator.seed)")
        let corpus = try Self.corpus()
        #expect(corpus.count >= 20)

        var accepted = 0
        var refusals: [JSONError.Code: Int] = [:]
        for _ in 0..<Self.mutations {
            let document = Self.mutate(corpus.randomElement(using: &generator) ?? [], corpus, &generator)
            let value: JSONValue
            do {
                value = try JSONReader.read(document, limits: Self.limits)
                accepted += 1
            } catch {
                refusals[error.code, default: 0] += 1
                #expect((0...document.count).contains(error.offset), "\(Hexadecimal.encode(document))")
                continue
            }
            let encoded = value.encoded()
            let again = try JSONReader.read(encoded, limits: Self.limits)
            #expect(again == value && again.encoded() == encoded, "\(Hexadecimal.encode(document))")
        }
        print("accepted \(accepted), refused \(refusals)")
        #expect(accepted >= 80)
        for code in [JSONError.Code.tooDeep, .tooManyValues, .duplicateKey, .invalidSyntax, .invalidText, .truncated] {
            #expect(refusals[code, default: 0] >= 3, "\(code) was hardly reached")
        }
    }

    private static func mutate(
        _ document: [UInt8],
        _ corpus: [[UInt8]],
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<4:
                if place < bytes.count {
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
            case 4..<7:
                let special = Array(#"{}[]",:\u0-e.tfn"#.utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xED, 0xFF]
                bytes.insert(special.randomElement(using: &generator) ?? 0, at: place)
            case 7:
                bytes.removeSubrange(place..<end)
            case 8:
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            case 9..<11:
                let other = corpus.randomElement(using: &generator) ?? []
                bytes.insert(contentsOf: other.prefix(Int.random(in: 0...40, using: &generator)), at: place)
            default:
                bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
