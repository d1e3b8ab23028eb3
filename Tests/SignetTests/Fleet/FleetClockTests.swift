// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Machines whose clocks are wrong, on one store.
@Suite(.watched) struct FleetClockTests {
    @Test func aMachineWhoseClockIsOffIsReportedOnceAndOnceWhenItIsRightAgain() async throws {
        let observers = [RecordingObserver(), RecordingObserver(), RecordingObserver()]
        let offsets = [Locked(Duration.seconds(5)), Locked(.milliseconds(-900)), Locked(.zero)]
        try await TestFleet(3, observers: observers, offsets: offsets).run { fleet in
            for index in 0..<3 { _ = try await fleet[index].open() }
            try await fleet.pass(5)
            #expect(observers.map(\.clockOffsets.count) == [1, 0, 0])
            let first = try #require(observers[0].clockOffsets.first ?? nil)
            #expect((.milliseconds(4_990)...(.milliseconds(5_010))).contains(first))
            #expect(Self.isAbout(fleet[0].runtime.statistics.clockOffset, .seconds(5)))
            #expect(Self.isAbout(fleet[1].runtime.statistics.clockOffset, .milliseconds(-900)))
            #expect(Self.isAbout(fleet[2].runtime.statistics.clockOffset, .zero))
            // It is set right; the other one runs away backwards.
            offsets[0].withLock { $0 = .zero }
            offsets[1].withLock { $0 = .seconds(-3600) }
            try await fleet.pass(3)
            #expect(observers.map(\.clockOffsets.count) == [2, 1, 0])
            #expect(observers[0].clockOffsets.last == .some(nil))
            #expect(Self.isAbout(observers[1].clockOffsets.first ?? nil, .seconds(-3600)))
        }
    }

    @Test func aStoreWhoseClockWasSetIsReportedByAllAndEventsHaveItsTime() async throws {
        let observers = [RecordingObserver(), RecordingObserver()]
        try await TestFleet(2, observers: observers).run { fleet in
            let here = try await fleet[0].open()
            _ = try await fleet[1].open()
            try await here.login([.customerID: "c-1"])
            fleet.engine.moveClock(by: .seconds(30))
            var turns = 0
            await until("a report of each replica") {
                turns += 1
                if turns % 100 == 0 { fleet.clock.advance(by: .milliseconds(300)) }
                return observers.allSatisfy { !$0.clockOffsets.isEmpty }
            }
            #expect(observers.allSatisfy { $0.clockOffsets.count == 1 })
            #expect(observers.allSatisfy { Self.isAbout($0.clockOffsets.first ?? nil, .seconds(-30)) })
            try here.log(.custom("stamped"))
            try await fleet[0].runtime.upload()
            let event = try #require(fleet.events.first { $0.name == "stamped" })
            #expect(abs(event.timestamp - fleet.engine.milliseconds) < 5_000)
        }
    }

    @Test func withoutAStoreThereIsNoOffset() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            #expect(signet.runtime.statistics.clockOffset == nil)
        }
    }

    private static func isAbout(_ offset: Duration?, _ expected: Duration) -> Bool {
        guard let offset else { return false }
        return (expected - .milliseconds(20)...expected + .milliseconds(20)).contains(offset)
    }
}
