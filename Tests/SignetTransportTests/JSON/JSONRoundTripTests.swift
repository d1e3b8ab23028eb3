// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport
import Testing

@Suite struct JSONRoundTripTests {
    /// Characters that the reader and the writer treat in a special way, and some from each length of UTF-8.
    private static let special: [Unicode.Scalar] = [
        "\"", "\\", "/", "\u{0}", "\u{8}", "\u{9}", "\u{A}", "\u{C}", "\u{D}", "\u{1F}", "\u{7F}", "\u{80}", "\u{301}",
        "\u{7FF}", "\u{800}", "\u{2028}", "\u{D7FF}", "\u{E000}", "\u{FEFF}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ]

    @Test func anyValueIsWrittenAndReadAgainTheSame() throws {
        var generator = SeededGenerator(defaultSeed: 0x7472_6970)
        print("SIGNET_SEED=\(generator.seed)")
        var kinds: [Int: Int] = [:]
        for _ in 0..<1000 {
            let value = Self.value(depth: 0, &generator, &kinds)
            let again = try JSONReader.read(value.encoded())
            // Also byte by byte: Swift strings are equal although their scalars may differ.
            #expect(again == value && again.encoded() == value.encoded(), "\(Hexadecimal.encode(value.encoded()))")
        }
        #expect((0..<7).allSatisfy { kinds[$0, default: 0] >= 100 }, "\(kinds)")
    }

    private static func value(
        depth: Int,
        _ generator: inout SeededGenerator,
        _ kinds: inout [Int: Int]
    ) -> JSONValue {
        let kind = Int.random(in: 0..<(depth < 5 ? 7 : 5), using: &generator)
        kinds[kind, default: 0] += 1
        switch kind {
        case 0:
            return nil
        case 1:
            return .bool(Bool.random(using: &generator))
        case 2:
            return .number(
                JSONNumber(Int64(bitPattern: generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
            )
        case 3:
            return JSONNumber(Double(bitPattern: generator.next())).map(JSONValue.number) ?? nil
        case 4:
            return .string(Self.string(&generator))
        case 5:
            var elements: [JSONValue] = []
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                elements.append(Self.value(depth: depth + 1, &generator, &kinds))
            }
            return .array(elements)
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                object[Self.string(&generator)] = Self.value(depth: depth + 1, &generator, &kinds)
            }
            return .object(object)
        }
    }

    private static func string(_ generator: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...40, using: &generator) {
            if Int.random(in: 0..<4, using: &generator) > 0 {
                scalars.append(Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &generator)))
            } else {
                scalars.append(Self.special.randomElement(using: &generator) ?? " ")
            }
        }
        return String(scalars)
    }
}
