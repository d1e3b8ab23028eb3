// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The formats of rows while a new version is rolled out.
@Suite struct RowFormatsTests {
    /// The version that reads up to format 3, beside that of format 2.
    private static let third = RowFormats(newest: 3)

    @Test(
        arguments: [
            // The store names the older format: a new replica writes it, and leaves a newer row as it is.
            (2, 0, 2), (2, 1, 2), (2, 2, 2), (2, 3, 3),
            // The upgrade is finished.
            (3, 0, 3), (3, 2, 3), (3, 3, 3),
            // A store that names an impossible one was refused before.
            (0, 0, 2), (1, 1, 2), (9, 0, 3), (-1, 0, 2),
        ]
    )
    func aRowIsWrittenInTheFormatOfTheStoreAndNeverInAnOlderOneThanBefore(written: Int, row: UInt8, format: UInt8) {
        #expect(Self.third.format(written: written, row: row) == format)
    }

    @Test func theFirstFormatHasNoneBefore() {
        #expect(RowFormats(newest: 1).oldest == 1)
        #expect(RowFormats(newest: 1).format(written: 1, row: 0) == 1)
        #expect(Self.third.oldest == 2)
    }

    @Test func aStoreOfAnotherVersionThanThisOrTheOneBeforeIsRefused() {
        func code(_ written: Int) -> SharedStoreError.Code? {
            do throws(SharedStoreError) {
                try Self.third.check(SharedFormat(written: written))
                return nil
            } catch {
                return error.code
            }
        }
        #expect((0...5).map { code($0) } == [.olderFormat, .olderFormat, nil, nil, .newerFormat, .newerFormat])
    }

    @Test func aRowSaysItsFormatAndThisVersionRefusesANewerOne() async throws {
        let state = SharedState(identity: IdentityFixture.state(), part: SharedPart())
        #expect(state.encoded() == state.encoded(as: UInt8(SharedFormat.newest)))
        let next = state.encoded(as: UInt8(SharedFormat.newest) + 1)
        #expect(next.first == UInt8(SharedFormat.newest) + 1)
        #expect(next.dropFirst() == state.encoded().dropFirst())
        #expect(await code { _ = try SharedState(decoding: next) } == .newerFormat)
    }

    @Test func aRunningReplicaNoticesTheEndOfAnUpgradeWithinAMinute() async throws {
        let clock = ManualClock()
        let engine = MemorySharedEngine(time: { clock.milliseconds })
        let member = Self.member(MemorySharedStore(engine, reading: 2), clock, RowFormats(newest: 2))
        engine.upgrade(to: 1)
        #expect(member.format(ofRow: 0) == 1, "before the store was asked")
        _ = try await member.read([])
        #expect(member.format(ofRow: 0) == 1)
        engine.upgrade(to: 2)
        clock.advance(by: .seconds(59))
        try await member.reviewFormat()
        #expect(member.format(ofRow: 0) == 1)
        #expect(member.format(ofRow: 2) == 2, "a row that another replica has written since")
        clock.advance(by: .seconds(1))
        try await member.reviewFormat()
        #expect(member.format(ofRow: 0) == 2)
    }

    @Test func aReplicaThatWasLeftBehindHearsOfItAndGoesOn() async throws {
        let clock = ManualClock()
        let engine = MemorySharedEngine(time: { clock.milliseconds })
        let member = Self.member(MemorySharedStore(engine), clock, .current)
        _ = try await member.read([])
        engine.upgrade(to: SharedFormat.newest + 1)
        clock.advance(by: .seconds(60))
        await #expect(throws: SharedStoreError.self) { try await member.reviewFormat() }
        // Not again each second.
        try await member.reviewFormat()
        #expect(member.format(ofRow: 0) == UInt8(SharedFormat.newest))
        _ = try await member.read([])
        let late = Self.member(MemorySharedStore(engine), clock, .current)
        #expect(await code { _ = try await late.read([]) } == .newerFormat)
    }

    private static func member(_ store: MemorySharedStore, _ clock: ManualClock, _ formats: RowFormats) -> FleetMember {
        FleetMember(
            FleetConfiguration(store: store),
            .used(UUID()),
            workspace: [1],
            clock: FleetClock(),
            time: TimeSource(clock: clock, milliseconds: { clock.milliseconds }),
            observer: SilentObserver(),
            formats: formats
        )
    }
}
