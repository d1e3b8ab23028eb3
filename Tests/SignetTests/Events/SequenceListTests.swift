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

    @Test func randomListsBehaveAsArraysDo() {
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
            var writer = ByteWriter()
            list.write(to: &writer)
            var reader = ByteReader(writer.bytes)
            #expect(SequenceList(&reader)?.prefix(.max) == model, "seed \(seed)")
        }
    }

    @Test func bytesThatAreNoListAreNone() {
        var writer = ByteWriter()
        SequenceList([1, 2, 300]).write(to: &writer)
        for count in 0..<writer.bytes.count {
            var reader = ByteReader(Array(writer.bytes.prefix(count)))
            #expect(SequenceList(&reader) == nil)
        }
        for (index, byte) in [(0, 4), (16, 0), (18, 0x82)] as [(Int, UInt8)] {
            var bytes = writer.bytes
            bytes[index] = byte
            var reader = ByteReader(bytes)
            #expect(SequenceList(&reader) == nil, "\(index)")
        }
    }

    @Test func aMillionNeighboursTakeAMegabyte() {
        var list = SequenceList()
        for sequence in 1...1_000_000 as ClosedRange<UInt64> { list.append(sequence) }
        var writer = ByteWriter()
        list.write(to: &writer)
        #expect(writer.bytes.count < 1_000_100)
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
