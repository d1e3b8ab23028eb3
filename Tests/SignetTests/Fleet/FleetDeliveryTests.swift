// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// Deliveries of a replica that did not know what another one has changed.
@Suite(.watched) struct FleetDeliveryTests {
    // MARK: - Logged without the store

    /// An installation whose row was made anew has two numbers here.
    ///
    /// Each batch made the reading again for its user alone, so that the other one lacked it, and the queue went round without a pause.
    @Test func aReadingSaysOfAllUsersWhoWereAskedFor() async throws {
        try await TestFleet(1).run { fleet in
            try await fleet[0].open().login([.customerID: "c-1"])
            // Not those of the queue, which uses up a reading with each batch.
            let context = fleet[0].runtime.context
            let users = SharedUsers(try #require(context.fleet), context.numbers)
            let unknown = [101, 102].compactMap { MPID(rawValue: $0) }
            for mpid in unknown { try await users.prepare(["visitor"], mpid, upTo: 0) }
            for mpid in unknown { #expect(users.isPrepared("visitor", mpid)) }
            let other = try #require(MPID(rawValue: 103))
            #expect(!users.isPrepared("visitor", other))
        }
    }

    @Test func whatIsLoggedWithoutTheStoreBelongsToTheUserOfItsMoment() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("first"))
            fleet.clock.advance(by: .milliseconds(10))
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("second"))
            fleet[0].store.faults.clear()
            try await cutOff.refresh()
            try await fleet.upload()
            #expect(Self.users(of: fleet, ["first", "second"]) == [first, second])
        }
    }

    /// Not to the user who was current when it happened.
    @Test func anEarlierEventThatIsLoggedWithoutTheStoreBelongsToTheUserOfItsLogging() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            fleet.clock.advance(by: .seconds(180))
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            fleet.clock.advance(by: .seconds(180))
            var order = Event.custom("order")
            order.occurredAt = fleet.clock.date.addingTimeInterval(-240)
            try cutOff.log(order)
            fleet[0].store.faults.clear()
            try await cutOff.refresh()
            try await fleet.upload()
            #expect(Self.users(of: fleet, ["order"]) == [second])
            #expect(fleet.events.filter { $0.name == "order" }.map(\.sessionUUID) == [nil])
        }
    }

    /// Its own time is before the log-in of the user who was here when it was logged, or after that of the next one.
    @Test(arguments: [-30, 50]) func anEventOfTheSameMinuteBelongsToTheUserOfItsLogging(seconds: Double) async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            fleet.clock.advance(by: .milliseconds(60_000 - fleet.clock.milliseconds % 60_000 + 20_000))
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            fleet.clock.advance(by: .seconds(20))
            var order = Event.custom("order")
            order.occurredAt = fleet.clock.date.addingTimeInterval(seconds)
            try cutOff.log(order)
            fleet.clock.advance(by: .seconds(30))
            try await here.login([.customerID: "c-3"])
            fleet[0].store.faults.clear()
            try await cutOff.refresh()
            try await fleet.upload()
            #expect(Self.users(of: fleet, ["order"]) == [second])
        }
    }

    @Test func anEarlierEventBelongsToNoSessionOfTheRow() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            var order = Event.custom("order")
            order.occurredAt = fleet.clock.date.addingTimeInterval(-86_400)
            let session = here.currentSession
            try here.log(order)
            #expect(here.currentSession == session)
            try here.log(.custom("now"))
            let before = here.sessionSummary
            try here.log(order)
            #expect(here.sessionSummary == before)
            try await fleet.upload()
            #expect(fleet.events.filter { $0.name == "order" }.map(\.sessionUUID) == [nil, nil])
        }
    }

    @Test func whatIsLoggedWithoutTheStoreLiesInNoSession() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            try await fleet[1].open().login([.customerID: "c-1"])
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("alone"))
            try cutOff.log(.custom("alone"))
            #expect(cutOff.currentSession == nil)
            fleet[0].store.faults.clear()
            try await fleet.pass(3)
            try await cutOff.refresh()
            #expect(cutOff.currentSession != nil)
            try await fleet.upload()
            #expect(fleet.events.filter { $0.name == "alone" }.map(\.sessionUUID) == [nil, nil])
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
        }
    }

    /// The user changes while the answer with the row is on its way.
    @Test func whatIsLoggedAfterTheRowWasReadWaitsForTheNextReading() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("first"))
            fleet[0].store.faults.clear()
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.replyHeld(gate), on: .read)
            async let one: Void = { _ = try? await fleet[0].runtime.upload() }()
            await gate.arrived()
            fleet.clock.advance(by: .milliseconds(10))
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("second"))
            async let two: Void = { _ = try? await fleet[0].runtime.upload() }()
            for _ in 0..<200 { await Task.yield() }
            gate.open()
            _ = await (one, two)
            try await fleet.upload()
            #expect(Self.users(of: fleet, ["first", "second"]) == [first, second])
        }
    }

    @Test func nobodyNeedsToOpenAgainForIt() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            fleet[0].store.faults.injectAlways(.unreachable)
            try await fleet[0].open().log(.custom("alone"))
            fleet[0].store.faults.clear()
            try await fleet.upload()
            #expect(Self.users(of: fleet, ["alone"]) == [first])
        }
    }

    @Test func whatIsLoggedWithoutTheStoreIsInNoSession() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            try await here.login([.customerID: "c-1"])
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            for _ in 0..<2 { try cutOff.log(.custom("alone")) }
            fleet[0].store.faults.clear()
            try await cutOff.refresh()
            try await fleet.pass(3)
            try await fleet.upload()
            let events = fleet.events.filter { $0.name == "alone" }
            #expect(events.map(\.sessionUUID) == [nil, nil])
            #expect(fleet[0].runtime.statistics.eventsAfterSessionEnd == 0)
            #expect(cutOff.currentSession == here.currentSession)
        }
    }

    @Test func withoutADrainItIsLookedUpOnceInAnUploadInterval() async throws {
        let fleet = try TestFleet(whenUnreachable: .logOnly) { $0.events.uploadInterval = .seconds(20) }
        try await fleet.run { fleet in
            fleet[0].store.faults.injectAlways(.unreachable)
            try await fleet[0].open().log(.custom("alone"))
            fleet[0].store.faults.clear()
            let user = try await fleet[1].open().login([.customerID: "c-1"]).user.mpid
            try await fleet.pass(45)
            await until("the event is delivered") { Self.users(of: fleet, ["alone"]) == [user] }
        }
    }

    @Test func anEventOfAUserWhomTheRowHasForgottenIsDroppedAndCounted() async throws {
        try await TestFleet(whenUnreachable: .logOnly).run { fleet in
            let here = try await fleet[1].open()
            try await here.login([.customerID: "c-0"])
            fleet[0].store.faults.injectAlways(.unreachable)
            let cutOff = try await fleet[0].open()
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("forgotten"))
            for number in 1...17 {
                fleet.clock.advance(by: .milliseconds(10))
                try await here.login([.customerID: "c-\(number)"])
            }
            fleet.clock.advance(by: .milliseconds(10))
            try cutOff.log(.custom("known"))
            fleet[0].store.faults.clear()
            try await fleet.upload()
            #expect(Self.users(of: fleet, ["known"]) == [here.currentUser?.mpid])
            #expect(Self.users(of: fleet, ["forgotten"]).isEmpty)
            #expect(fleet[0].runtime.statistics.eventsDropped == [.unknownUser: 1])
        }
    }

    @Test func aReadingForALookServesNoBatch() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            // Of nobody, before the user whom the login finds: the row is read for them.
            try here.log(.custom("waits"))
            try await here.login([.customerID: "c-1"])
            try await there.login([.customerID: "c-1"])
            try await here.refresh()
            for _ in 0..<200 { await Task.yield() }
            try await there.setOptedOut(true)
            try await fleet[0].runtime.upload()
            #expect(fleet.count("custom_event") == 0)
        }
    }

    @Test func theOwnerOfAMomentIsTheUserOfTheLastChangeBeforeIt() throws {
        let users = try (1...3).map { try #require(MPID(rawValue: $0)) }
        var state = SharedState(identity: IdentityState(deviceApplicationStamp: .random(), now: 4), part: SharedPart())
        #expect(state.owner(at: 5) == .noUser)
        _ = state.identity.directory.resolve(
            to: users[0],
            isLoggedIn: false,
            isEphemeral: false,
            request: IdentityRequest(),
            now: 10
        )
        state.part.note(users[0], at: 10)
        state.part.note(nil, at: 20)
        state.part.note(users[1], at: 30)
        let owners = [0, 9, 10, 19, 20, 29, 30, 99].map { state.owner(at: $0) }
        #expect(owners == [0, 0, 0, 0, 1, 1, 1, 1].map { .user(users[$0]) })
        for number in 0..<14 { state.part.note(users[2], at: 100 + Int64(number)) }
        // Seventeen changes: the first is forgotten, and with it whether 15 was before the second.
        #expect(state.owner(at: 15) == .forgotten)
        #expect(state.owner(at: 3) == .user(users[0]), "before the row was made")
        #expect(state.owner(at: 25) == .user(users[1]))
    }

    // MARK: - Aliases

    /// The first try fails; the second one would come after the opt-out, or after the opt-in that follows it.
    @Test(arguments: [false, true]) func anOptOutElsewhereEndsAnAliasRequest(alsoOptsIn: Bool) async throws {
        try await TestFleet(emulator: EmulatorConfiguration(strategy: .link)).run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.identify()
            try here.log(.custom("as a guest"))
            fleet.clock.advance(by: .milliseconds(500))
            let result = try await here.login([.customerID: "c-1"])
            fleet.platform.faults.inject(.connectionRefused, on: .alias)
            let request = AliasRequest(source: try #require(result.previousUser), destination: result.user)
            let id = try await here.alias(request)
            func tries() -> Int { fleet[0].signet.transport.exchanges.count { $0.endpoint == "alias" } }
            await until("a try") { tries() == 1 }
            try await there.refresh()
            fleet.clock.advance(by: .milliseconds(10))
            try await there.setOptedOut(true)
            fleet.clock.advance(by: .milliseconds(10))
            if alsoOptsIn { try await there.setOptedOut(false) }
            try await fleet.pass(20)
            for _ in 0..<500 { await Task.yield() }
            #expect(tries() == 1)
            let outcome = await here.aliasOutcome(of: id)
            let isOptedOut = if case .optedOut = outcome?.kind { true } else { false }
            #expect(isOptedOut)
        }
    }

    // MARK: - Held batches

    @Test func aConsentWithdrawnWhileABatchWasHeldIsToldAgainAfterIt() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await here.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try here.log(.custom("held"))
            fleet.platform.faults.inject(.connectionRefused, on: .events)
            _ = try? await fleet[0].runtime.upload()
            #expect(fleet.events.isEmpty, "it is held")
            try await there.refresh()
            try await there.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            try there.log(.custom("withdrawn"))
            try await fleet[1].runtime.upload()
            #expect(fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == false)
            try await fleet.upload()
            #expect(fleet.count("custom_event") == 2)
            await until("it is withdrawn again") {
                fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == false
            }
            let sent = fleet[0].signet.transport.exchanges.count
            try await fleet.pass(5)
            #expect(fleet[0].signet.transport.exchanges.count == sent, "once")
        }
    }

    /// The batch is young: another replica withdraws and tells the platform within the same moment.
    @Test func norDoesABatchOnTheWireGiveAConsentBack() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            try await here.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try here.log(.custom("on the wire"))
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate), on: .events)
            async let upload: Void = { _ = try? await fleet[0].runtime.upload() }()
            await until("a batch on the wire") { fleet[0].signet.transport.inFlight == 1 }
            try await there.refresh()
            try await there.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            try there.log(.custom("withdrawn"))
            try await fleet[1].runtime.upload()
            #expect(fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == false)
            gate.open()
            await upload
            await until("it is withdrawn again") {
                fleet.platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == false
                    && fleet[0].signet.transport.exchanges.count { $0.request.url.hasSuffix("/events") } == 2
            }
        }
    }

    /// The row is read; then another replica opts out; then an event is logged here, before the batch is cut.
    @Test func aReadingServesNoEventThatWasLoggedAfterIt() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            try await here.login([.customerID: "c-1"])
            try await there.refresh()
            try await fleet.upload()
            try here.log(.custom("early"))
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.replyHeld(gate), on: .read)
            async let one: Void = { _ = try? await fleet[0].runtime.upload() }()
            await gate.arrived()
            try await there.setOptedOut(true)
            try here.log(.custom("late"))
            async let two: Void = { _ = try? await fleet[0].runtime.upload() }()
            for _ in 0..<200 { await Task.yield() }
            gate.open()
            _ = await (one, two)
            try await fleet.upload()
            #expect(fleet.events.filter { $0.type == "custom_event" }.map(\.name) == ["early"])
            #expect(fleet[0].runtime.statistics.eventsDropped[.optedOut] == 1)
        }
    }

    @Test func aHeldBatchWithoutAChangeIsFollowedByNone() async throws {
        try await TestFleet().run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await here.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try here.log(.custom("held"))
            fleet.platform.faults.inject(.connectionRefused, on: .events)
            _ = try? await fleet[0].runtime.upload()
            try await fleet.pass(5)
            try await fleet.upload()
            try await fleet.pass(5)
            let requests = fleet[0].signet.transport.exchanges.filter { $0.request.url.hasSuffix("/events") }
            #expect(requests.count == 2, "the held batch, twice")
        }
    }

    private static func users(of fleet: TestFleet, _ names: [String]) -> [MPID?] {
        let events = fleet.events
        return names.compactMap { name in events.first { $0.name == name }.map(\.mpid) }
    }
}
