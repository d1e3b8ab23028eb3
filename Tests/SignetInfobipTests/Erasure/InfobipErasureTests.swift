// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// A process that dies while it erases somebody whom Infobip knows, at each call to the disk.
@Suite(.watched) struct InfobipErasureTests {
    private static func configure(_ configuration: inout ServiceSettings) {
        configuration.infobip?.followsLogin = true
    }

    /// Somebody with a save and an event that the service was not told of; with another one after them, if they have left.
    private static func play(_ world: InfobipWorld, hasLeft: Bool) async throws -> MPID {
        var ann: MPID?
        try await world.live(configure: Self.configure) { _, it in
            ann = try await it.login([.customerID: "ann"]).user.mpid
            try await it.infobip.register()
            try await it.infobip.save { $0.lastName = .set("last-of-ann") }
            try await it.infobip.waitUntilIdle()
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            world.emulator.faults.injectAlways(.status(503), on: .customEvents)
            #expect(try await it.infobip.save { $0.firstName = .set("first-of-ann") } == .pending)
            for _ in 0..<3 { try await it.infobip.submit(InfobipEvent("event-of-ann"), .queued) }
            if hasLeft { try await it.login([.customerID: "bob"]) }
        }
        return try #require(ann)
    }

    @Test(arguments: [false, true], [false, true])
    func afterAKillAtAnyStepNothingOfTheProfileIsLeft(hasLeft: Bool, isOpen: Bool) async throws {
        let world = try InfobipWorld()
        let ann = try await Self.play(world, hasLeft: hasLeft)
        #expect(try allBytes(in: world.folder.path).contains("of-ann"))
        let images = try KillImages(of: world.folder.path)
        let signet = try world.start { configuration in
            Self.configure(&configuration)
            images.watch(&configuration.signet)
        }
        if isOpen { _ = try await signet.runtime.open("p", identify: .none) }
        images.begin()
        try await signet.runtime.eraseUser(ann)
        let steps = images.end()
        #expect(steps > 10)
        #expect(signet.runtime.statistics.infobipEventsDropped == 3)
        await signet.runtime.shutdown()
        var hasBegun = false
        for step in TestScale.steps(steps, every: 30) {
            let image = images.path(step)
            let next = try world.start(in: image, configure: Self.configure)
            let it = try await next.runtime.open("p", identify: .none)
            let isErased = !it.core.identityState.directory.mentioned.contains(ann)
            #expect(isErased || !hasBegun, "step \(step): erased before, and back")
            if isErased {
                hasBegun = true
                #expect(try !allBytes(in: image).contains("of-ann"), "step \(step)")
                #expect(it.infobip.user.lastName == nil, "step \(step)")
                #expect(!it.infobip.hasPendingChanges || hasLeft, "step \(step)")
            }
            await next.runtime.shutdown()
        }
        #expect(hasBegun)
        print("killed at \(steps) steps, left: \(hasLeft), open: \(isOpen)")
    }

    /// What nobody can read may be theirs.
    @Test func whatCannotBeReadOfAProfileGoesWithWhomeverIsErased() async throws {
        for hasLeft in [false, true] {
            let world = try InfobipWorld()
            let ann = try await Self.play(world, hasLeft: hasLeft)
            let signet = try world.start(configure: Self.configure)
            let it = try await signet.runtime.open("p", identify: .none)
            let number = it.core.identityState.number
            await signet.runtime.shutdown()
            // Garbage in its place, then an erasure of which only the first word was written.
            let second = try world.start(configure: Self.configure)
            try second.runtime.context.store.put(Array("{of-ann".utf8), for: StateKey.infobipMemory(number))
            let tombstone = Tombstone(of: ann)
            try second.runtime.context.store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
            await second.runtime.shutdown()
            let third = try world.start(configure: Self.configure)
            #expect(try !allBytes(in: world.folder.path).contains("of-ann"), "\(hasLeft)")
            #expect(third.runtime.statistics.infobipEventsDropped == 3, "\(hasLeft)")
            await third.runtime.shutdown()
        }
    }

    /// When somebody looks for it.
    enum Moment: CaseIterable {
        /// At the next start, which finishes an erasure.
        case start
        /// The installation is not in memory.
        case closed
        /// It was opened again, and begins anew.
        case reopened
    }

    /// The record that says whose the profile is cannot be read: it may be theirs.
    @Test(arguments: Moment.allCases) func theProfileOfWhomNobodyCanNameGoesToo(_ moment: Moment) async throws {
        let world = try InfobipWorld()
        let ann = try await Self.play(world, hasLeft: false)
        // Somebody else's stays.
        try await world.live(configure: Self.configure) { signet, _ in
            let other = try await signet.runtime.open("other", identify: .none)
            try await other.login([.customerID: "bob"])
            #expect(try await other.infobip.save { $0.firstName = .set("first-of-bob") } == .pending)
        }
        let signet = try world.start(configure: Self.configure)
        let store = signet.runtime.context.store
        try store.put(Array("{of-ann".utf8), for: StateKey.identity("p"))
        if moment == .start {
            let tombstone = Tombstone(of: ann)
            try store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
            await signet.runtime.shutdown()
        }
        let last = moment == .start ? try world.start(configure: Self.configure) : signet
        if moment == .reopened {
            let it = try await last.runtime.open("p", identify: .none)
            #expect(it.infobip.user.lastName == nil)
        }
        if moment != .start {
            #expect(try allBytes(in: world.folder.path).contains("last-of-ann"))
            try await last.runtime.eraseUser(ann)
        }
        #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
        #expect(last.runtime.statistics.infobipEventsDropped == 3)
        #expect(try await last.runtime.open("other", identify: .none).infobip.user.firstName == "first-of-bob")
        await last.runtime.shutdown()
    }

    /// Events whose memory could not be read stay behind it; they may be of the user in front of the installation.
    @Test func eventsWithoutTheirMemoryGoWithTheCurrentUser() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let ann = try await it.login([.customerID: "ann"]).user.mpid
            let store = signet.runtime.context.store
            let records = ServiceRecords(store, tag: UInt8(ascii: "q"), installation: it.core.identityState.number)
            try store.put(Array("of-ann".utf8), for: records.key(7))
            try await signet.runtime.eraseUser(ann)
            #expect(try records.keys().isEmpty)
            #expect(signet.runtime.statistics.infobipEventsDropped == 1)
        }
    }
}
