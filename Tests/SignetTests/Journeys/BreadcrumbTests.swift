// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What a crash report tells of before.
@Suite(.watched) struct BreadcrumbTests {
    private let clock = ManualClock()
    private let emulator: Emulator
    private let folder: TemporaryFolder

    init() throws {
        let clock = self.clock
        var rules = EmulatorConfiguration(strategy: .link)
        rules.ephemeralRule = .anonymousUsers
        self.emulator = Emulator(rules, clock: clock, wallClock: { clock.date })
        self.folder = try TemporaryFolder()
    }

    private func start(in folder: TemporaryFolder? = nil) throws -> EmulatedSignet {
        try EmulatedSignet(in: (folder ?? self.folder).path, platform: self.emulator, clock: self.clock)
    }

    private static func crash(_ installation: Installation) throws {
        try installation.log(.crash(CrashReport(message: "boom")))
    }

    /// Those in the reports of a user, oldest report first.
    private func labels(of mpid: MPID?) throws -> [[String]] {
        self.emulator.events(of: try #require(mpid)).filter { $0.type == "crash_report" }.map { event in
            (event.data["breadcrumbs"]?.array ?? []).compactMap { $0["data"]?["label"]?.string }
        }
    }

    @Test func thoseOfBeforeTheFirstUserAreTheirs() async throws {
        let mpid = try await self.start().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.leaveBreadcrumb("before")
            let mpid = try await visitor.identify().user.mpid
            try visitor.leaveBreadcrumb("after")
            try Self.crash(visitor)
            #expect(!signet.runtime.context.store.contains(StateKey.breadcrumbs(1, nil)))
            return mpid
        }
        #expect(try self.labels(of: mpid) == [["before", "after"]])
    }

    @Test func eachUserHasTheirOwn() async throws {
        let (one, two) = try await self.start().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let one = try await visitor.login([.customerID: "c-1"]).user.mpid
            try visitor.leaveBreadcrumb("one, at first")
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try Self.crash(visitor)
            try visitor.leaveBreadcrumb("two")
            try await visitor.login([.customerID: "c-1"])
            try visitor.leaveBreadcrumb("one, later")
            try Self.crash(visitor)
            return (one, two)
        }
        #expect(try self.labels(of: one) == [["one, at first", "one, later"]])
        #expect(try self.labels(of: two) == [[]])
    }

    /// A crash is reported by the process after it: the image is what a kill leaves.
    @Test func theyOutliveAKill() async throws {
        var image: TemporaryFolder?
        var mpid: MPID?
        self.emulator.faults.injectAlways(.connectionRefused, on: .events)
        try await self.start().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try visitor.leaveBreadcrumb("of the life before")
            image = try TemporaryFolder(copying: self.folder)
        }
        self.emulator.faults.clear()
        try await self.start(in: image).run { signet in
            try Self.crash(try await signet.runtime.open("v", identify: .none))
        }
        #expect(try self.labels(of: mpid) == [["of the life before"]])
    }

    @Test func whatAnEphemeralUserLeftGoesWithThem() async throws {
        try await self.start().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let guest = try await visitor.identify().user
            #expect(guest.isEphemeral)
            try visitor.leaveBreadcrumb("of the guest")
            let key = StateKey.breadcrumbs(visitor.core.identityState.number, guest.mpid)
            #expect(signet.runtime.context.store.contains(key))
            try await visitor.login([.customerID: "c-1"])
            #expect(!signet.runtime.context.store.contains(key))
        }
    }

    @Test func whoIsErasedLeavesNone() async throws {
        try await self.start().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let one = try await visitor.login([.customerID: "c-1"]).user.mpid
            try visitor.leaveBreadcrumb("of one")
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try visitor.leaveBreadcrumb("of two")
            // Of one who is open, and of one whom only the disk knows.
            signet.runtime.evict("v")
            try await signet.runtime.eraseUser(one)
            let keys = try signet.runtime.context.store.keys(withPrefix: StateKey.breadcrumbs)
            #expect(keys == [StateKey.breadcrumbs(1, two)])
            _ = try await signet.runtime.open("v", identify: .none)
            try await signet.runtime.eraseUser(two)
            #expect(try signet.runtime.context.store.keys(withPrefix: StateKey.breadcrumbs).isEmpty)
        }
    }
}
