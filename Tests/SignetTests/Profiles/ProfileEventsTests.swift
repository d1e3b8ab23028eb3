//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The checklist of facts 9, row 53: custom events.
@Suite(.watched) struct ProfileEventsTests {
    @Test func row53ImmediateEventsAreCheckedAndQueuedOnesAreNot() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            try await it.profile.register()
            #expect(try await it.profile.submit(ProfileEvent("now-of-ann")) == .done)
            try await signet.runtime.disk.syncTogether()
            #expect(try !allBytes(in: world.folder.path).contains("now-of-ann"))
            world.emulator.weather.always(on: .customEvents, .connectionRefused)
            let told = world.clock.date
            try await it.profile.submit(ProfileEvent("late"), .queued)
            try await signet.runtime.disk.syncTogether()
            #expect(try allBytes(in: world.folder.path).contains("late"))
            world.clock.advance(by: .seconds(60))
            try await it.profile.settled()
            world.emulator.weather.clear()
            try await world.settle(it)
            let events = world.people.events()
            #expect(events.map(\.definitionID) == ["now-of-ann", "late"])
            #expect(events.map(\.isValidated) == [true, false])
            // When it happened, not when there was a network again.
            #expect(events.map(\.date) == [told, told])
            let last = try #require(events.last)
            #expect(last.receivedAt.timeIntervalSince(told) >= 60)
        }
    }

    @Test func row53AnImmediateEventIsToldOnceAndItsCallerHearsOfAFailure() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            try await it.profile.register()
            world.people.configure { $0.eventDefinitions = ["known"] }
            world.emulator.weather.next(on: .customEvents, .connectionRefused)
            #expect(await code { try await it.profile.submit(ProfileEvent("known")) } == .notConnected)
            #expect(await code { try await it.profile.submit(ProfileEvent("unknown")) } == .refused)
            try await world.settle(it)
            world.clock.advance(by: .seconds(600))
            try await world.settle(it)
            #expect(world.people.events().isEmpty)
            #expect(world.people.requests(on: .customEvents).count == 1)
        }
    }

    @Test func row53TwoQuietSecondsBeginAnewWithEachEvent() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            try await it.profile.register()
            try await it.profile.submit(ProfileEvent("e1"), .queued)
            world.clock.advance(by: .milliseconds(1500))
            try await it.profile.settled()
            try await it.profile.submit(ProfileEvent("e2"), .queued)
            world.clock.advance(by: .milliseconds(1500))
            try await it.profile.settled()
            #expect(world.people.requests(on: .customEvents).isEmpty)
            world.clock.advance(by: .milliseconds(500))
            try await it.profile.settled()
            #expect(world.people.requests(on: .customEvents).count == 1)
            #expect(world.people.events().map(\.definitionID) == ["e1", "e2"])
        }
    }

    @Test func row53AnEventThatComesWhileOthersAreSentStays() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            try await it.profile.register()
            let gate = EmulatorGate()
            world.emulator.weather.next(on: .customEvents, .replyHeld(gate))
            try await it.profile.submit(ProfileEvent("e1"), .queued)
            try await it.profile.settled()
            world.clock.advance(by: .seconds(2))
            await gate.arrived()
            try await it.profile.submit(ProfileEvent("e2"), .queued)
            gate.open()
            try await world.settle(it)
            let events = world.people.events()
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
