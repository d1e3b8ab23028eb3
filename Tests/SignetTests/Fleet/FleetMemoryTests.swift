// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What a replica keeps of visitors who have passed.
@Suite(.watched) struct FleetMemoryTests {
    @Test func aReplicaForgetsVisitorsWithTheirLastEvents() async throws {
        try await TestFleet(1).run { fleet in
            for number in 0..<40 { try await Self.visit(fleet, number) }
            #expect(Self.known(fleet) == 40)
            #expect(try Self.records(fleet[0].runtime) == 40)
            try await Self.untilForgotten(fleet)
            #expect(try Self.records(fleet[0].runtime) == 0)
            #expect(fleet.count("custom_event") == 40)
            #expect(fleet[0].runtime.registry.all.isEmpty)
        }
    }

    /// The queue has nothing to do then, and nothing of its own wakes it.
    @Test func aVisitorWhoseHandleOutlivesTheLastEventIsForgottenToo() async throws {
        try await TestFleet(1).run { fleet in
            var visitor: Installation? = try await fleet[0].open("v-1")
            try await visitor?.login([.customerID: "c-1"])
            try visitor?.log(.custom("seen"))
            try await fleet.upload()
            try await fleet.pass(90)
            try await fleet.upload()
            #expect(fleet.count("session_end") == 1)
            #expect(Self.known(fleet) == 1)
            visitor = nil
            try await fleet.pass(35)
            await until("the replica has forgotten the visitor") { Self.known(fleet) == 0 }
        }
    }

    @Test func aCrowdThatPassesLeavesAsMuchAsItsFirstVisitors() async throws {
        let fleet = try TestFleet(1) { $0.events.uploadInterval = .seconds(1) }
        try await fleet.run { fleet in
            var records: [Int] = []
            for wave in 0..<6 {
                for number in 0..<40 { try await Self.visit(fleet, 40 * wave + number) }
                try await Self.untilForgotten(fleet)
                records.append(fleet[0].runtime.context.disk.log.count)
            }
            #expect(Set(records).count == 1, "\(records)")
            #expect(await fleet[0].runtime.managers.events.backlog.machine.lines.count == 0)
        }
    }

    @Test func whoComesBackGetsANewNumberAndIsTheSame() async throws {
        try await TestFleet(1).run { fleet in
            let before = try await Self.visit(fleet, 1)
            try await Self.untilForgotten(fleet)
            let visitor = try await fleet[0].open("v-1")
            try visitor.log(.custom("again"))
            #expect(visitor.core.identityState.number > before)
            try await fleet.upload()
            let events = fleet.events.filter { $0.type == "custom_event" }
            #expect(events.map(\.name) == ["visit-1", "again"])
            #expect(Set(events.map(\.mpid)).count == 1)
            #expect(Set(try Self.stamps(fleet[0].signet).values.joined()).count == 1)
        }
    }

    @Test func aHandleKeepsTheNumberBetweenItsEvents() async throws {
        try await TestFleet(1).run { fleet in
            let visitor = try await fleet[0].open()
            try await visitor.login([.customerID: "c-1"])
            let number = visitor.core.identityState.number
            for _ in 0..<3 {
                try visitor.log(.custom("event"))
                try await fleet.upload()
                try await fleet.pass(2)
                #expect(visitor.core.identityState.number == number)
                #expect(Self.known(fleet) == 1)
            }
            #expect(fleet.count("custom_event") == 3)
        }
    }

    @Test func aBatchThatWaitsKeepsTheNumber() async throws {
        try await TestFleet(1).run { fleet in
            fleet.platform.faults.inject(.connectionRefused, on: .events)
            try await Self.visit(fleet, 1)
            _ = try? await fleet[0].runtime.upload()
            try await fleet.pass(2)
            await fleet[0].signet.takeIn()
            #expect(Self.known(fleet) == 1)
            try await Self.untilForgotten(fleet)
            #expect(fleet.count("custom_event") == 1)
        }
    }

    @Test func aDeadLetterKeepsTheNumberThatItNames() async throws {
        try await TestFleet(1).run { fleet in
            fleet.platform.faults.injectAlways(.status(400), on: .events)
            try await Self.visit(fleet, 1)
            try await fleet.upload()
            fleet.platform.faults.clear()
            try await fleet.pass(2)
            await fleet[0].signet.takeIn()
            let letters = try await fleet[0].runtime.deadLetters.list()
            #expect(Set(letters.map(\.installation)) == ["v-1"])
            #expect(Self.known(fleet) == 1)
            for letter in letters { try await fleet[0].runtime.deadLetters.discard(letter.id) }
            try await Self.untilForgotten(fleet)
        }
    }

    @Test func anErasureUnderWayForgetsNoNumber() async throws {
        try await TestFleet(1).run { fleet in
            try await Self.visit(fleet, 1)
            let mpid = try #require(fleet.platform.users().first?.mpid)
            _ = try await fleet.passing { [fleet] in try await fleet[0].runtime.eraseUser(mpid) }
            try await Self.untilForgotten(fleet)
            #expect(fleet.count("custom_event") == 0)
            #expect(fleet[0].runtime.statistics.eventsDropped.keys.map(\.description) == ["forgotten"])
        }
    }

    @Test func eventsOfARowThatWasMadeAnewElsewhereAreDroppedAndCounted() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("old"))
            try await here.endSession()
            let waiting = fleet[0].runtime.statistics.eventsWaiting
            try await Self.removeRow(fleet)
            let there = try await fleet[1].open()
            try await there.login([.customerID: "c-2"])
            #expect(there.deviceApplicationStamp != here.deviceApplicationStamp)
            let number = here.core.identityState.number
            #expect(await code { try await here.refresh() } == .closed)
            let again = try await fleet[0].open()
            #expect(again.deviceApplicationStamp == there.deviceApplicationStamp)
            try again.log(.custom("new"))
            #expect(again.core.identityState.number != number)
            try await fleet.upload()
            #expect(fleet.events.filter { $0.type == "custom_event" }.map(\.name) == ["new"])
            #expect(fleet[0].runtime.statistics.eventsDropped == [.installationGone: waiting])
        }
    }

    @Test func anonymousEventsOfARowThatIsGoneAreDroppedAndNotGivenToTheNextUser() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try here.log(.custom("old"))
            try await here.endSession()
            let waiting = fleet[0].runtime.statistics.eventsWaiting
            try await Self.removeRow(fleet)
            let there = try await fleet[1].open()
            try await there.login([.customerID: "c-2"])
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 0)
            #expect(fleet[0].runtime.statistics.eventsDropped == [.installationGone: waiting])
        }
    }

    @Test func withoutANumberNoBreadcrumbIsAnotherVisitors() async throws {
        try await TestFleet().run { fleet in
            for id in ["a", "b"] as [InstallationID] { _ = try await fleet[1].open(id) }
            let (first, second) = (try await fleet[0].open("a"), try await fleet[0].open("b"))
            var crumb = Event(content: .breadcrumb(label: "secret"))
            crumb.isUploaded = false
            try first.log(crumb)
            crumb = Event(content: .breadcrumb(label: "own"))
            crumb.isUploaded = false
            try second.log(crumb)
            #expect(first.core.identityState.number == 0, "nothing was logged")
            try second.log(.crash(CrashReport(message: "boom")))
            try first.log(.crash(CrashReport(message: "bang")))
            try await second.login([.customerID: "c-1"])
            try await first.login([.customerID: "c-2"])
            try await fleet.upload()
            let bodies = fleet[0].signet.eventBodies.map { String(decoding: $0, as: UTF8.self) }
            #expect(bodies.filter { $0.contains("own") && $0.contains("boom") }.count == 1)
            #expect(bodies.filter { $0.contains("secret") }.count == 1)
            #expect(bodies.filter { $0.contains("secret") }.allSatisfy { $0.contains("bang") && !$0.contains("boom") })
        }
    }

    @Test func aChosenContextLeavesNoRecordOfTheVisitor() async throws {
        try await TestFleet(1).run { fleet in
            let context = InstallationContext(userAgent: "UA")
            let visitor = try await fleet[0].runtime.open("v-1", identify: .none, context: context)
            let store = fleet[0].runtime.context.store
            #expect(try store.keys(withPrefix: StateKey.chosenContexts).isEmpty)
            // The handle alone holds it.
            let contexts = fleet[0].runtime.context.ownContexts
            #expect(try contexts.sweep(now: .zero) { _ in } == 0)
            try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("seen"))
            try await fleet.upload()
            let bodies = fleet[0].signet.eventBodies.map { String(decoding: $0, as: UTF8.self) }
            #expect(bodies.contains { $0.contains("seen") && $0.contains("UA") })
        }
    }

    // MARK: - Support

    @discardableResult
    private static func visit(_ fleet: TestFleet, _ number: Int) async throws -> UInt32 {
        let visitor = try await fleet[0].open(InstallationID("v-\(number)"))
        try await visitor.login([.customerID: "c-\(number)"])
        try visitor.log(.custom("visit-\(number)"))
        return visitor.core.identityState.number
    }

    private static func known(_ fleet: TestFleet) -> Int? {
        fleet[0].runtime.context.numbers.knownCount
    }

    private static func records(_ runtime: SignetRuntime) throws -> Int {
        try runtime.context.store.keys(withPrefix: StateKey.numberedInstallations).count
    }

    /// Uploads, and lets the replica tell the store what its visitors did: until then it needs them.
    private static func untilForgotten(_ fleet: TestFleet) async throws {
        try await until("the replica has forgotten its visitors") {
            try await fleet.upload()
            try await fleet.pass(1)
            await fleet[0].signet.takeIn()
            return Self.known(fleet) == 0
        }
    }

    private static func removeRow(_ fleet: TestFleet) async throws {
        try await fleet.pass(1)
        let key = SharedIDs.key(of: Array("visitor".utf8))
        let tag = try #require(try await fleet[1].store.read([key]).value.first).tag
        #expect(try await fleet[1].store.remove(key, tag: tag).value)
    }

    /// The installations that the platform was told of, by the name of the event.
    static func stamps(_ signet: EmulatedSignet) throws -> [String: Set<String>] {
        var stamps: [String: Set<String>] = [:]
        for body in signet.eventBodies {
            let batch = try JSONReader.read(body)
            for event in batch["events"]?.array ?? [] {
                guard let name = event["data"]?["event_name"]?.string else { continue }
                stamps[name, default: []].insert(batch["mp_deviceid"]?.string ?? "none")
            }
        }
        return stamps
    }
}
