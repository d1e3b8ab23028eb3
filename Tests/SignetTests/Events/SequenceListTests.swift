// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct SequenceListTests {
    @Test func itHoldsWhatWasAddedInOrder() {
        var list = SequenceList()
        #expect(list.first == nil && list.last == nil && list.prefix(3) == [])
        for sequence in [3, 4, 200, 20_000, 5_000_000_000] as [UInt64] { list.append(sequence) }
        // One that is not above all others is none.
        list.append(7)
        #expect(list.prefix(.max) == [3, 4, 200, 20_000, 5_000_000_000])
        #expect(list.prefix(2) == [3, 4])
        #expect(list.count == 5 && list.first == 3 && list.last == 5_000_000_000)
        #expect([0, 3, 4, 199, 200, .max].map { list.count(upTo: $0) } == [0, 1, 2, 2, 3, 5])
    }

    @Test func randomListsBehaveAsArraysDo() throws {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0 ... .max, using: &generator)
        var random = SplitMix(state: seed)
        for _ in 0..<50 {
            var list = SequenceList()
            var model: [UInt64] = []
            var next: UInt64 = random.next() % 1000
            for _ in 0..<Int(random.next() % 4000) {
                if random.next() % 8 == 0 {
                    let count = Int(random.next() % 300)
                    list.removeFirst(count)
                    model.removeFirst(min(count, model.count))
                } else {
                    next += 1 + random.next() % (random.next() % 50 == 0 ? 1 << 40 : 300)
                    list.append(next)
                    model.append(next)
                }
            }
            #expect(list.prefix(.max) == model, "seed \(seed)")
            #expect(list.count == model.count && list.first == model.first && list.last == model.last, "seed \(seed)")
            #expect(try Self.list(in: Self.bytes(of: list)).prefix(.max) == model, "seed \(seed)")
        }
    }

    @Test func bytesThatAreNoListAreNone() throws {
        let bytes = Self.bytes(of: SequenceList([1, 2, 300]))
        // A version, the field with its length, then 1, 1, and 298 in two bytes.
        #expect(bytes == [1, 0xA1, UInt8(ascii: "n"), 4, 1, 1, 0xAA, 2, 0])
        for (index, byte) in [(5, 0), (6, 0), (7, 0x82), (1, 0x91)] as [(Int, UInt8)] {
            var bytes = bytes
            bytes[index] = byte
            #expect(throws: RecordDamage.self, "\(index)") { try Self.list(in: bytes) }
        }
        let beyond = [1, 0xA1, UInt8(ascii: "n"), 11] + [UInt8](repeating: 0xFF, count: 9) + [1, 1, 0]
        #expect(throws: RecordDamage.self) { try Self.list(in: beyond) }
        let empty = try Self.list(in: Self.bytes(of: SequenceList()))
        #expect(empty == SequenceList())
    }

    @Test func aMillionNeighboursTakeAMegabyte() {
        var list = SequenceList()
        for sequence in 1...1_000_000 as ClosedRange<UInt64> { list.append(sequence) }
        #expect(Self.bytes(of: list).count < 1_000_100)
    }

    private static func bytes(of list: SequenceList) -> [UInt8] {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        encoder.write("n", list)
        return encoder.finish()
    }

    private static func list(in bytes: [UInt8]) throws -> SequenceList {
        var decoder = try RecordDecoder(record: bytes)
        return try decoder.read("n")
    }

    /// A small generator that repeats by its seed.
    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = self.state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
