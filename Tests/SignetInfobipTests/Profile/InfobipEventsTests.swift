// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, row 53: custom events.
@Suite(.watched) struct InfobipEventsTests {
    @Test func row53ImmediateEventsAreCheckedAndQueuedOnesAreNot() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            #expect(try await it.infobip.submit(InfobipEvent("now-of-ann")) == .done)
            try await signet.runtime.context.disk.syncTogether()
            #expect(try !allBytes(in: world.folder.path).contains("now-of-ann"))
            world.emulator.faults.injectAlways(.connectionRefused, on: .customEvents)
            let told = world.clock.date
            try await it.infobip.submit(InfobipEvent("late"), .queued)
            try await signet.runtime.context.disk.syncTogether()
            #expect(try allBytes(in: world.folder.path).contains("late"))
            world.clock.advance(by: .seconds(60))
            try await it.infobip.waitUntilIdle()
            world.emulator.faults.clear()
            try await world.settle(it)
            let events = world.infobip.events()
            #expect(events.map(\.definitionID) == ["now-of-ann", "late"])
            #expect(events.map(\.isValidated) == [true, false])
            // When it happened, not when there was a network again.
            #expect(events.map(\.date) == [told, told])
            let last = try #require(events.last)
            #expect(last.receivedAt.timeIntervalSince(told) >= 60)
        }
    }

    @Test func row53AnImmediateEventIsToldOnceAndItsCallerHearsOfAFailure() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            world.infobip.configure { $0.eventDefinitions = ["known"] }
            world.emulator.faults.inject(.connectionRefused, on: .customEvents)
            #expect(await code { try await it.infobip.submit(InfobipEvent("known")) } == .notConnected)
            #expect(await code { try await it.infobip.submit(InfobipEvent("unknown")) } == .rejected)
            try await world.settle(it)
            world.clock.advance(by: .seconds(600))
            try await world.settle(it)
            #expect(world.infobip.events().isEmpty)
            #expect(world.infobip.requests(on: .customEvents).count == 1)
        }
    }

    @Test func row53TwoQuietSecondsBeginAnewWithEachEvent() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            try await it.infobip.submit(InfobipEvent("e1"), .queued)
            world.clock.advance(by: .milliseconds(1500))
            try await it.infobip.waitUntilIdle()
            try await it.infobip.submit(InfobipEvent("e2"), .queued)
            world.clock.advance(by: .milliseconds(1500))
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.requests(on: .customEvents).isEmpty)
            world.clock.advance(by: .milliseconds(500))
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.requests(on: .customEvents).count == 1)
            #expect(world.infobip.events().map(\.definitionID) == ["e1", "e2"])
        }
    }

    @Test func row53AnEventThatComesWhileOthersAreSentStays() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            let gate = EmulatorGate()
            world.emulator.faults.inject(.replyHeld(gate), on: .customEvents)
            try await it.infobip.submit(InfobipEvent("e1"), .queued)
            try await it.infobip.waitUntilIdle()
            world.clock.advance(by: .seconds(2))
            await gate.arrived()
            try await it.infobip.submit(InfobipEvent("e2"), .queued)
            gate.open()
            try await world.settle(it)
            let events = world.infobip.events()
            #expect(events.map(\.definitionID) == ["e1", "e2"])
            #expect(events.map(\.isRepetition) == [false, false])
            #expect(Set(events.map(\.number)).count == 2)
        }
        // Nothing is left for the next life either.
        let count = world.requests.count
        try await world.live { _, it in try await world.settle(it) }
        #expect(world.requests.count == count)
    }
}
