// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Batches that had a try before an opt-out: the choice is asked again before each further one.
@Suite(.watched) struct OptOutHeldBatchTests {
    /// What the first try of a batch meets.
    enum Outage: String, CaseIterable, Sendable {
        /// The batch never reaches the platform.
        case connectionRefused
        /// A pause of hours follows.
        case unavailable
        /// The platform has the batch already.
        case replyLost

        var fault: FaultInjector.Fault {
            switch self {
            case .connectionRefused: .connectionRefused
            case .unavailable: .status(503)
            case .replyLost: .replyLost
            }
        }
    }

    @Test(arguments: Outage.allCases) func aHeldBatchIsDroppedAfterTheOptOut(outage: Outage) async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await Self.holding(signet, outage.fault)
            try await visitor.setOptedOut(true)
            try await Self.deliver(signet)
            #expect(try Self.batchesOnDisk(of: signet).isEmpty)
            return try #require(visitor.currentUser).mpid
        }
        #expect(Self.tries(of: "held", signet) == 1)
        let names = signet.emulator.events(of: mpid).compactMap(\.name)
        #expect(names == (outage == .replyLost ? ["held"] : []))
        #expect(signet.emulator.events(of: mpid).last?.type == "opt_out")
        #expect(signet.emulator.user(mpid)?.isOptedOut == true)
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 1])
        #expect(signet.runtime.statistics.eventsWaiting == 0)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    /// The process that opts out delivers nothing; the one after it finds the batch and the choice.
    @Test(arguments: Outage.allCases, [false, true])
    func aHeldBatchIsDroppedAfterARestartToo(outage: Outage, optsIn: Bool) async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let first = try known.next()
        let mpid = try await first.run { signet in
            let visitor = try await Self.holding(signet, outage.fault)
            known.platform.faults.injectAlways(.connectionRefused, on: .events)
            return try #require(visitor.currentUser).mpid
        }
        #expect(try Self.held(in: known).count == 1)
        let second = try known.next()
        let visitor = try await second.runtime.open("one", identify: .none)
        try await visitor.setOptedOut(true)
        if optsIn {
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("after"))
        }
        await second.runtime.shutdown()
        known.platform.faults.clear()
        let third = try known.next()
        try await third.run { signet in
            try await Self.deliver(signet)
            #expect(try Self.batchesOnDisk(of: signet).isEmpty)
        }
        #expect(Self.tries(of: "held", third) == 0)
        let names = third.emulator.events(of: mpid).compactMap(\.name)
        #expect(names == (outage == .replyLost ? ["held"] : []) + (optsIn ? ["after"] : []))
        let told = third.emulator.events(of: mpid).compactMap { $0.data["is_opted_out"]?.bool }
        #expect(told == (optsIn ? [true, false] : [true]))
        #expect((third.runtime.statistics.eventsDropped[.optedOut] ?? 0) >= 1)
        #expect(third.runtime.statistics.eventsWaiting == 0)
        #expect(third.runtime.statistics.eventsLost == 0)
    }

    @Test func anOptInDeliversWhatCameAfterItAndNotTheHeldBatch() async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await Self.holding(signet, .status(503))
            try await visitor.setOptedOut(true)
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("after"))
            try await Self.deliver(signet)
            return try #require(visitor.currentUser).mpid
        }
        #expect(Self.tries(of: "held", signet) == 1)
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == ["after"])
        let told = signet.emulator.events(of: mpid).compactMap { $0.data["is_opted_out"]?.bool }
        #expect(told == [true, false])
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 1])
    }

    /// The try that is on the wire at that moment is the last one.
    @Test func aBatchOnTheWireIsNotTriedAgainOnceItsTryFails() async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let gate = EmulatorGate()
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await signet.runtime.upload(within: .seconds(10))
            try visitor.log(.custom("held"))
            known.platform.faults.inject(.held(gate), on: .events)
            let upload = Task {
                await code { () async throws(SignetError) in try await signet.runtime.upload(within: .seconds(600)) }
            }
            await gate.arrived()
            try await visitor.setOptedOut(true)
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("after"))
            #expect(signet.transport.inFlight == 1)
            known.clock.advance(by: signet.runtime.context.configuration.events.requestTimeout)
            await until("the try is over") { signet.transport.inFlight == 0 }
            // Its event is dropped once the pause has begun; a clock that moves before that would not end it.
            #expect(await upload.value == nil)
            try await Self.deliver(signet)
            return try #require(visitor.currentUser).mpid
        }
        #expect(Self.tries(of: "held", signet) == 1)
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == ["after"])
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 1])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    /// A batch that was cut between the choice and its report holds events of before and after.
    @Test(arguments: [false, true])
    func whatIsLeftOfABatchOfBeforeAndAfterGoesInAnotherOne(keepsBody: Bool) async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let first = try known.next { if keepsBody { $0.events.storage.whenFull = .dropOldest } }
        let mpid = try await first.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await signet.runtime.upload(within: .seconds(10))
            for name in ["before", "after", "later"] { try visitor.log(.custom(name)) }
            known.platform.faults.injectAlways(.connectionRefused, on: .events)
            let error = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(error == .uploadPaused)
            return try #require(visitor.currentUser).mpid
        }
        let held = try #require(try Self.held(in: known).first)
        let sequences = held.sequences.prefix(held.sequences.count)
        try #require(sequences.count == 3)
        let second = try known.next()
        let visitor = try await second.runtime.open("one", identify: .none)
        _ = try visitor.core.transact { machine, transaction throws(SignetError) in
            machine.state.optedOutAfter = sequences[0]
            machine.saveIdentity(&transaction)
            transaction.write(.put([1], for: StateKey.optOut(machine.state.number, upTo: sequences[0])))
        }
        await second.runtime.shutdown()
        known.platform.faults.clear()
        let third = try known.next()
        try await third.run { signet in try await Self.deliver(signet) }
        #expect(third.emulator.events(of: mpid).compactMap(\.name) == ["after", "later"])
        #expect(Self.tries(of: "before", third) == 0)
        #expect(!third.eventBodies.contains { String(decoding: $0, as: UTF8.self).contains(held.id.uuidString) })
        #expect(third.runtime.statistics.eventsDropped == [.optedOut: 1])
        #expect(third.runtime.statistics.eventsWaiting == 0)
        #expect(third.emulator.copies(of: mpid).allSatisfy { $0 == 1 })
    }

    /// The dropped batch was to say that an attribute is gone: the batch of the choice says it.
    @Test func aRemovedAttributeOfADroppedBatchIsReportedByTheNextOne() async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setAttribute("gold", for: "tier")
            try await signet.runtime.upload(within: .seconds(10))
            try await visitor.removeAttribute("tier")
            known.platform.faults.inject(.status(503), on: .events)
            let error = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(error == .uploadPaused)
            try await visitor.setOptedOut(true)
            try await Self.deliver(signet)
            return try #require(visitor.currentUser).mpid
        }
        let told = signet.emulator.batches().filter { $0.mpid == mpid }
            .compactMap { $0.json["deleted_user_attributes"]?.array?.compactMap(\.string) }
        #expect(told == [["tier"]])
        #expect(signet.emulator.batches().last?.json["events"]?.array?.count == 1)
    }

    /// A dead letter that is sent again is a batch like any other.
    @Test(arguments: [false, true]) func aDeadLetterIsNotSentAfterTheOptOut(optsIn: Bool) async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await signet.runtime.upload(within: .seconds(10))
            try visitor.log(.custom("held"))
            known.platform.faults.inject(.status(400), on: .events)
            try await signet.runtime.upload(within: .seconds(10))
            let letter = try #require(try await signet.runtime.deadLetters.list().last)
            known.platform.faults.inject(.connectionRefused, on: .events)
            try await signet.runtime.deadLetters.resend(letter.id)
            _ = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            try await visitor.setOptedOut(true)
            if optsIn { try await visitor.setOptedOut(false) }
            try await Self.deliver(signet)
            return try #require(visitor.currentUser).mpid
        }
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == [])
        #expect(Self.tries(of: "held", signet) == 2)
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 1])
        #expect(signet.runtime.statistics.eventsWaiting == 0)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aDeadLetterThatIsSentAgainWhileOptedOutIsDropped() async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await signet.runtime.upload(within: .seconds(10))
            try visitor.log(.custom("held"))
            known.platform.faults.inject(.status(400), on: .events)
            try await signet.runtime.upload(within: .seconds(10))
            let letter = try #require(try await signet.runtime.deadLetters.list().last)
            try await visitor.setOptedOut(true)
            try await Self.deliver(signet)
            try await signet.runtime.deadLetters.resend(letter.id)
            try await Self.deliver(signet)
            return try #require(visitor.currentUser).mpid
        }
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == [])
        #expect(Self.tries(of: "held", signet) == 1)
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 1])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func aDeadLetterOfBeforeAnOptOutIsDroppedAfterTheOptInToo() async throws {
        let known = try await KnownInstallation(sessionTimeout: Self.sessionTimeout)
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await signet.runtime.upload(within: .seconds(10))
            for name in ["held", "later"] {
                if name == "later" {
                    try await visitor.setOptedOut(true)
                    try await visitor.setOptedOut(false)
                    try await Self.deliver(signet)
                }
                try visitor.log(.custom(name))
                known.platform.faults.inject(.status(400), on: .events)
                try await signet.runtime.upload(within: .seconds(10))
            }
            for letter in try await signet.runtime.deadLetters.list() {
                try await signet.runtime.deadLetters.resend(letter.id)
            }
            try await Self.deliver(signet)
            return try #require(visitor.currentUser).mpid
        }
        #expect(signet.emulator.events(of: mpid).compactMap(\.name) == ["later"])
        #expect(signet.runtime.statistics.eventsDropped == [.optedOut: 1])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    // MARK: - A batch after its first try

    /// Longer than a test: the end of a session that an earlier process left would be an event more.
    private static let sessionTimeout = Duration.seconds(1_000_000)

    /// Logs an event whose batch fails once.
    private static func holding(_ signet: EmulatedSignet, _ fault: FaultInjector.Fault) async throws -> Installation {
        let visitor = try await signet.runtime.open("one", identify: .none)
        try await signet.runtime.upload(within: .seconds(10))
        try visitor.log(.custom("held"))
        signet.emulator.faults.inject(fault, on: .events)
        let error = await code { () async throws(SignetError) in try await signet.runtime.upload() }
        #expect(error == .uploadPaused)
        #expect(try self.batchesOnDisk(of: signet).count == 1)
        return visitor
    }

    /// Sends all that may be sent, past the longest pause after a failure.
    private static func deliver(_ signet: EmulatedSignet) async throws {
        signet.clock.advance(by: .seconds(3 * 3600))
        await signet.runtime.resumeUploads()
        try await signet.runtime.upload(within: .seconds(10))
    }

    private static func tries(of name: String, _ signet: EmulatedSignet) -> Int {
        signet.eventBodies.count { String(decoding: $0, as: UTF8.self).contains("\"\(name)\"") }
    }

    private static func batchesOnDisk(of signet: EmulatedSignet) throws -> [BatchRecord] {
        try signet.runtime.context.store.values(withPrefix: StateKey.batches) { Issue.record("\($0)") }
            .compactMap { BatchRecord($0.value) }
    }

    /// The batches that the process before has left.
    private static func held(in known: KnownInstallation) throws -> [BatchRecord] {
        let signet = try known.next()
        return try Self.batchesOnDisk(of: signet)
    }
}
