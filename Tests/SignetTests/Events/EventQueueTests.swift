// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

@Suite(.watched) struct EventQueueTests {
    @Test func eventsCarryTheUserOfTheirCallNotOfTheirUpload() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let (first, second) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let first = try await visitor.login([.customerID: "1"]).user.mpid
            try visitor.log(.custom("of-1"))
            let second = try await visitor.login([.customerID: "2"]).user.mpid
            try visitor.log(.custom("of-2"))
            return (first, second)
        }
        #expect(signet.emulator.events(of: first).compactMap(\.name) == ["of-1"])
        #expect(signet.emulator.events(of: second).compactMap(\.name) == ["of-2"])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func whatWaitsForTheFirstMPIDIsDrainedExactlyOnce() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, configure: { $0.events.uploadInterval = .seconds(1) })
        let gate = EmulatorGate()
        signet.emulator.faults.inject(.held(gate), on: .identify)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v")
            for index in 0..<250 { try visitor.log(.custom("e\(index)")) }
            await gate.arrived()
            await signet.takeIn()
            signet.clock.advance(by: .seconds(5))
            await signet.takeIn()
            #expect(signet.eventBodies.isEmpty)
            #expect(signet.runtime.statistics.eventsWaiting >= 251)
            gate.open()
            return try await visitor.initialIdentifyResult().user.mpid
        }
        let events = signet.emulator.events(of: mpid)
        #expect(Set(events.compactMap(\.name)) == Set((0..<250).map { "e\($0)" }))
        #expect(signet.emulator.copies(of: mpid).allSatisfy { $0 == 1 })
        #expect(signet.runtime.statistics.eventsWaiting == 0)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aFullBatchGoesWithoutWaiting() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        try await withEmulatedSignet(in: folder.path, observer: observer) { signet in
            let visitor = try await signet.openKnown()
            for _ in 0..<99 { try visitor.log(.custom("x")) }
            #expect(await observer.nextDelivery() == 100)
            #expect(signet.clock.now.offset == .zero)
        }
    }

    @Test func aPurchaseWaitsASecondForCompany() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        try await withEmulatedSignet(in: folder.path, observer: observer) { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.purchase(Purchase(transactionID: "t", total: 9.5)))
            await signet.clock.untilNextDeadline(is: .seconds(1))
            try visitor.log(.custom("company"))
            await signet.takeIn()
            #expect(signet.eventBodies.isEmpty)
            signet.clock.advance(by: .seconds(1))
            #expect(await observer.nextDelivery() == 3)
        }
    }

    @Test(arguments: [(WorkspaceEnvironment.production, 600), (.development, 10)])
    func otherEventsWaitForTheInterval(environment: WorkspaceEnvironment, seconds: Int) async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        let configure = { (configuration: inout SignetConfiguration) in
            configuration.environment = environment
            configuration.sessions.timeout = .seconds(100_000)
        }
        try await withEmulatedSignet(in: folder.path, observer: observer, configure: configure) { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            await signet.takeIn()
            signet.clock.advance(by: .seconds(seconds) - .milliseconds(1))
            await signet.takeIn()
            #expect(signet.eventBodies.isEmpty)
            signet.clock.advance(by: .milliseconds(1))
            #expect(await observer.nextDelivery() == 2)
        }
    }

    @Test func noMoreThanFourUploadsAreUnderWayAndFourAre() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let gate = EmulatorGate()
        signet.emulator.faults.injectAlways(.held(gate), on: .events)
        try await signet.run { signet in
            var visitors: [Installation] = []
            for index in 0..<10 { visitors.append(try await signet.openKnown(InstallationID("v\(index)"))) }
            for visitor in visitors { for _ in 0..<100 { try visitor.log(.custom("x")) } }
            for _ in 0..<4 { await gate.arrived() }
            await signet.takeIn()
            #expect(signet.transport.inFlight == 4)
            gate.open()
        }
        #expect(signet.transport.maximumInFlight == 4)
        #expect(signet.emulator.batches().map(\.eventCount).reduce(0, +) == 1010)
    }

    @Test func attributesAndIdentitiesOfTheUserTravelWithTheBatch() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await visitor.setAttribute("gold", for: "tier")
            try visitor.log(.custom("x"))
            return mpid
        }
        #expect(signet.emulator.user(mpid)?.attributes["tier"] == .string("gold"))
        let batch = try #require(signet.emulator.batches().last)
        #expect(batch.json["user_identities"]?["customer_id"]?.string == "c-1")
    }

    @Test func noBatchIsLongerThanThePlatformAllows() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            for index in 0..<4 {
                try await visitor.setAttribute(.string(String(repeating: "u", count: 4096)), for: "u\(index)")
            }
            for size in [10, 40, 60, 90, 100, 5, 99] {
                let attributes = (0..<size).map {
                    ("k\($0)", AttributeValue.string(String(repeating: "é", count: 500)))
                }
                try visitor.log(.custom("x", attributes: Attributes(attributes)))
            }
        }
        #expect(signet.eventBodies.allSatisfy { $0.count <= 128 * 1024 })
        #expect(signet.emulator.refusedBatches().isEmpty)
        #expect(signet.runtime.statistics.eventsDeadLettered == 0)
        #expect(signet.runtime.statistics.eventsDelivered == 12)
    }

    @Test func attributesThatNoBatchHasRoomForAreAnErrorAtTheCall() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            let long = AttributeValue.string(String(repeating: "u", count: 4096))
            var all = Dictionary(uniqueKeysWithValues: (0..<23).map { ("u\($0)", long) })
            try await visitor.setAttributes(all)
            let error = await #expect(throws: SignetError.self) { try await visitor.setAttribute(long, for: "u23") }
            #expect(error?.code == .invalidArgument)
            #expect(visitor.currentUser?.attributes.count == 23)
            for index in 0..<77 { all["b\(index)"] = true }
            try await visitor.setAttributes(all)
            let tooMany = await #expect(throws: SignetError.self) { try await visitor.setAttribute(true, for: "b77") }
            #expect(tooMany?.code == .invalidArgument)
            try await visitor.setAttribute(nil, for: "u0")
            try await visitor.setAttribute(true, for: "b77")
        }
    }

    @Test func whoHasOptedOutLogsNothingAndEachRefusalIsCounted() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        let signet = try EmulatedSignet(in: folder.path, observer: observer)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("before"))
            try await visitor.setOptedOut(true)
            let error = #expect(throws: SignetError.self) { try visitor.log(.custom("x")) }
            #expect(error?.code == .optedOut)
            visitor.logIfPossible(.custom("y"))
            #expect(throws: SignetError.self) { try visitor.enterBackground() }
        }
        #expect(signet.runtime.statistics.eventsRefused == [.optedOut: 2])
        // The opt-out itself; the begin of the session and the event before it are dropped.
        #expect(signet.runtime.statistics.eventsDelivered == 1)
        let refusals = observer.notes.filter { if case .refused = $0 { true } else { false } }
        #expect(refusals.count == 1)
    }
}
