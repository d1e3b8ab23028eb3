// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport
import Testing

@testable import SignetWire

@Suite struct TextRoomTests {
    private func text(_ capacity: Int, _ body: (inout TextRoom) -> Void) -> String {
        Samples.text(
            [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                var room = TextRoom(UnsafeMutableRawBufferPointer(buffer))
                body(&room)
                count = room.count
            }
        )
    }

    private func digits(_ value: Int64) -> String {
        self.text(20) { $0.append(value) }
    }

    @Test func integersAreWrittenAsTheirDescription() {
        var generator = SeededGenerator(defaultSeed: 0x5167_0002)
        print("SIGNET_SEED=\(generator.seed)")
        for value in [0, 1, 9, 10, 99, 100, 101, 999, 1000, 1_700_000_000_000, Int64.max, .min, -1, -10, -99] {
            #expect(self.digits(value) == String(value))
        }
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            #expect([power - 1, power, -power].map(self.digits) == [power - 1, power, -power].map { String($0) })
        }
        for _ in 0..<10_000 {
            let value = Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
            #expect(self.digits(value) == String(value))
        }
    }

    @Test func doublesAreWrittenAsTheirDescription() {
        var generator = SeededGenerator(defaultSeed: 0x5167_0003)
        print("SIGNET_SEED=\(generator.seed)")
        func check(_ value: Double) {
            let text = self.text(TextRoom.longestDouble) { $0.append(value) }
            #expect(text == value.description)
        }
        let edges: [Double] = [
            0, -0.0, 0.1, 0.001, 0.00099, 0.0009, 0.0001, 1e-4, 0.0010001, 1, -1, 5, 10, 0.5, 19.99, 0.3, 0.1 + 0.2,
            1e9,
            1e9 - 0.0001, 999_999_999.9999, 999_999_999.99995, 123_456_789.1234, 1e15, 1e16, 1e17, 1 / 3, 2.5e-5, 1e300,
            .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 0.9999, 0.99995, 1.00005,
        ]
        for value in edges {
            check(value)
            check(-value)
            check(value.nextUp)
            check(value.nextDown)
        }
        for _ in 0..<20_000 {
            check(Double(Int64.random(in: -9_999_999...9_999_999, using: &generator)) / 10_000)
            check(Double(Int64.random(in: 0...99_999_999_999_999, using: &generator)) / 100_000)
            check(Double.random(in: 0...2e9, using: &generator))
            let any = Double(bitPattern: generator.next())
            if any.isFinite { check(any) }
        }
    }

    @Test func identifiersAreWrittenAsTheirText() {
        var generator = SeededGenerator(defaultSeed: 0x5167_0004)
        print("SIGNET_SEED=\(generator.seed)")
        for _ in 0..<1000 {
            let id = withUnsafeBytes(of: (generator.next(), generator.next())) { $0.loadUnaligned(as: uuid_t.self) }
            #expect(self.text(36) { $0.append(UUID(uuid: id)) } == UUID(uuid: id).uuidString)
        }
    }

    @Test func noHeadIsLongerThanTheLongest() {
        let session = Session(uuid: Samples.uuid(1), startTime: Date(timeIntervalSince1970: -1e300))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: EventHead.maximumCount, alignment: 1)
        defer { room.deallocate() }
        let members = SessionMembers(session)
        #expect(members.json.count <= SessionMembers.maximumCount)
        // The longest of all kinds.
        let kind = EventKind("application_state_transition")
        let count = EventHead.write(
            kind,
            milliseconds: .min,
            messageID: Samples.uuid(1),
            session: members,
            to: room
        )
        #expect(count <= EventHead.maximumCount)
    }
}
