// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import SignetJournal

struct KeyIndexTests {
    private func entry(_ hash: KeyHash, _ number: Int) -> KeyIndex.Entry {
        KeyIndex.Entry(
            hash: hash,
            slot: number % 60_000,
            offset: UInt64(number) << 20,
            keyLength: 7,
            valueLength: number,
            isDue: number.isMultiple(of: 3)
        )
    }

    @Test func anEntryKeepsItsNumbers() {
        let hash = KeyHash([1])
        var entry = KeyIndex.Entry(
            hash: hash,
            slot: 65_535,
            offset: 1 << 48 - 1,
            keyLength: 1024,
            valueLength: 16 << 20
        )
        #expect(entry.slot == 65_535)
        #expect(entry.offset == 1 << 48 - 1)
        #expect(entry.keyLength == 1024)
        #expect(entry.valueLength == 16 << 20)
        #expect(entry.length == 24 + 1024 + 16 << 20)
        #expect(!entry.isDue)
        entry.move(slot: 3, offset: 5)
        #expect(entry.slot == 3)
        #expect(entry.offset == 5)
        for isDue in [true, false] {
            var marked = KeyIndex.Entry(hash: hash, slot: 1, offset: 2, keyLength: 3, valueLength: 4, isDue: isDue)
            marked.move(slot: 5, offset: 6)
            #expect(marked.isDue == isDue)
            #expect(marked.keyLength == 3 && marked.valueLength == 4)
        }
        #expect(MemoryLayout<KeyIndex.Entry>.stride == 32)
    }

    @Test func whatComesAndGoesKeepsNoPlaces() {
        var index = KeyIndex()
        let hashes = (0..<50_000).map { KeyHash(Array("key-\($0)".utf8)) }
        for (number, hash) in hashes.enumerated() { index.put(self.entry(hash, number)) }
        let most = index.memory
        for hash in hashes.dropFirst(500) { index.remove(hash) }
        #expect(index.count == 500)
        #expect(index.memory * 10 < most)
        for (number, hash) in hashes.prefix(500).enumerated() {
            #expect(index.find(hash) == self.entry(hash, number))
        }
        #expect(index.find(hashes[500]) == nil)
        for (number, hash) in hashes.enumerated() { index.put(self.entry(hash, number)) }
        #expect(index.count == 50_000)
    }

    @Test func itAgreesWithADictionary() {
        for seed in SeededGenerator.seeds(20) {
            var generator = SeededGenerator(seed: seed)
            var index = KeyIndex()
            var model: [KeyHash: KeyIndex.Entry] = [:]
            // Few first halves and crowded second halves: long runs of places that are taken, across the end too.
            let hashes = (0..<300).map { number in
                KeyHash(
                    first: UInt64(number % 3),
                    second: number.isMultiple(of: 2) ? .max - UInt64(number) : UInt64(number)
                )
            }
            for step in 0..<3000 {
                let hash = hashes[Int.random(in: 0..<hashes.count, using: &generator)]
                if Int.random(in: 0..<5, using: &generator) < 3 {
                    index.put(self.entry(hash, step))
                    model[hash] = self.entry(hash, step)
                } else {
                    index.remove(hash)
                    model[hash] = nil
                }
                #expect(index.find(hash) == model[hash])
                #expect(index.count == model.count)
                #expect(index.dueCount == model.values.count { $0.isDue })
            }
            #expect(Set(index.parts.flatMap(\.due).map(\.hash)) == Set(model.values.filter(\.isDue).map(\.hash)))
            for hash in hashes {
                #expect(index.find(hash) == model[hash], "SIGNET_SEED=\(seed)")
            }
            #expect(index.frameBytes == model.values.reduce(0) { $0 + UInt64($1.length) })
            let entries = index.entries()
            #expect(entries.count == model.count)
            #expect(entries.map(\.place) == entries.map(\.place).sorted())
            #expect(index.entries { $0.valueLength < 100 }.allSatisfy { $0.valueLength < 100 })
        }
    }

    @Test func anEntryTakesLessThan64BytesHoweverManyThereAre() {
        var index = KeyIndex()
        for number in 0..<60_000 {
            index.put(self.entry(KeyHash(bytes("key \(number)")), number))
            if number > 10_000, number.isMultiple(of: 1000) {
                #expect(index.memory / index.count <= 64)
            }
        }
        #expect(index.count == 60_000)
    }

    @Test(arguments: [0, 1, 63, 64, 65, 5000])
    func manyPutTogetherAreThoseOfOneByOne(count: Int) {
        // Some keys come again: the last one counts.
        let entries = (0..<count).map { self.entry(KeyHash(bytes("key \($0 % 1000)")), $0) }
        var (together, single) = (KeyIndex(), KeyIndex())
        together.put(entries)
        for entry in entries { single.put(entry) }
        #expect(together.entries() == single.entries())
        #expect(together.count == min(count, 1000) && together.frameBytes == single.frameBytes)
        #expect(together.dueCount == single.dueCount)
    }

    @Test func aHashTellsTheFirstByteOfItsKey() {
        for byte in UInt8.min...UInt8.max {
            for hash in [KeyHash([byte]), KeyHash([byte, 1, 2])] {
                #expect(hash.mayBegin(with: []) && hash.mayBegin(with: [byte, 9]))
                #expect(!hash.mayBegin(with: [byte &+ 1]))
            }
        }
        #expect(KeyHash([]).mayBegin(with: []))
        // The parts of the index are chosen by what is below it.
        #expect(Set((0..<2000).map { KeyHash(bytes("i\($0)")).first & 0xFF }).count > 200)
    }

    @Test func aCopyIsNotChangedWithTheOriginal() {
        var index = KeyIndex()
        let hash = KeyHash([7])
        index.put(self.entry(hash, 1))
        let copy = index
        index.put(self.entry(hash, 2))
        index.remove(hash)
        #expect(copy.find(hash)?.valueLength == 1)
    }
}
