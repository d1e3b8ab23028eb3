// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What is reported of the runtime's own work in the shared store.
@Suite struct FleetFailuresTests {
    private let clock = ManualClock()
    private let observer = RecordingObserver()
    private let failures: FleetFailures

    init() {
        self.failures = FleetFailures(self.observer, time: .manual(self.clock))
    }

    private static let calls: [SignetError] = [
        SignetError(SharedStoreError(.unreachable, "It is away.")),
        SignetError(SharedStoreError(.busy, "Too many calls.")),
        SignetError(SharedStoreError(.outcomeUnknown, "No answer.")),
        SignetError(SharedStoreError(.notPermitted, "The user may not.")),
        SignetError(SharedStoreError(.newerFormat, "Format 9.")),
        SignetError(SharedStoreError(.workspaceMismatch, "Another workspace.")),
        // Of the runtime itself, without a cause: the readings of others are waited for, or other replicas are faster.
        SignetError(.storeUnreachable, "No reading."), .storeBusy, .storeOutcomeUnknown,
    ]

    @Test(arguments: calls)
    func aCallThatFailsIsReportedAsOneAndNotAsDamage(error: SignetError) {
        self.failures.report(error, row: .random())
        #expect(self.observer.storeFailures.map(\.code) == [error.code])
        #expect(self.observer.damages == [])
    }

    @Test func aRowThatCannotBeReadIsReportedAsDamageWithItsKey() throws {
        let damage = #expect(throws: SignetError.self) { try SharedState(decoding: [1, 2, 3]) }
        let (error, keys) = (try #require(damage), [UUID.random(), .random()])
        for _ in 0..<2 { for key in keys { self.failures.report(error, row: key) } }
        #expect(self.observer.damages == keys.map { "The row \($0) of the shared store: \(error.message)" })
        #expect(self.observer.storeFailures.isEmpty)
    }

    @Test func aDiskThatRefusesIsNeitherTheStoreNorARow() {
        self.failures.report(SignetError(.diskFull, "No room."), row: .random())
        #expect(self.observer.damages == ["No room."] && self.observer.storeFailures.isEmpty)
    }

    @Test(arguments: [SignetError.closed, SignetError(.cancelled, "The caller left.")])
    func nothingIsReportedOfWhatIsNoFailure(error: SignetError) {
        self.failures.report(error)
        #expect(self.observer.notes.isEmpty)
    }

    @Test func theSameFailureIsReportedOnceAMinuteAndAnotherAtOnce() {
        for second in 0..<180 {
            self.failures.report(SignetError(.storeFailed, "It may not."))
            if second == 90 { self.failures.report(SignetError(.storeFailed, "There is no table.")) }
            self.clock.advance(by: .seconds(1))
        }
        let texts = self.observer.storeFailures.map(\.message)
        #expect(texts == ["It may not.", "It may not.", "There is no table.", "It may not."])
    }
}
