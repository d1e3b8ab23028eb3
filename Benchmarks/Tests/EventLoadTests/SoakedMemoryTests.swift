// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct SoakedMemoryTests {
    private static let mebibyte = 1 << 20

    /// A hundred looks; what is allocated and what the process has grow by so much a look.
    private static func memory(anonymous: Int = 0, inUse: Int = 0, lost: Double = 0) -> SoakedMemory {
        let looks = (0..<100).map {
            MemoryLook(anonymous: 30 * Self.mebibyte + $0 * anonymous, inUse: 20 * Self.mebibyte + $0 * inUse)
        }
        return SoakedMemory(looks: looks, requests: 100_000, lostByCarrier: lost)
    }

    @Test func whatStaysIsFlat() {
        #expect(Self.memory().fault == nil)
        #expect(Self.memory(anonymous: Self.mebibyte / 12).fault == nil)
    }

    @Test func whatGrowsIsNot() {
        // By 89 looks since the tenth.
        #expect(Self.memory(anonymous: Self.mebibyte / 10).fault?.contains("grown by 8 MiB") == true)
    }

    @Test func whatTheCarrierLosesIsNotHeldAgainstUs() {
        // 100,000 requests lose 144 bytes each: 13.7 MiB, over 100 looks.
        let lost = Int(144.0 * 1000)
        #expect(Self.memory(anonymous: 2 * lost, inUse: lost, lost: 144).fault == nil)
    }

    @Test func whatIsLostBesideIs() {
        let lost = Int(144.0 * 1000)
        #expect(Self.memory(anonymous: 2 * lost, inUse: lost + Self.mebibyte / 9, lost: 144).fault != nil)
        // Nothing is forgiven to a carrier that loses nothing.
        #expect(Self.memory(anonymous: 2 * lost, inUse: lost, lost: 0.5).fault != nil)
    }

    @Test func whatComesAndGoesIsNoGrowth() {
        let looks = (0..<100).map { look in
            MemoryLook(anonymous: 0, inUse: look % 3 == 0 ? 0 : (look > 50 ? 40 : 10) * Self.mebibyte)
        }
        #expect(SoakedMemory(looks: looks, requests: 1, lostByCarrier: 144).fault == nil)
    }

    @Test func oneLookIsEnough() {
        let one = SoakedMemory(looks: [MemoryLook(anonymous: 1, inUse: 1)], requests: 0)
        #expect(one.fault == nil && !one.measures.isEmpty)
    }
}
