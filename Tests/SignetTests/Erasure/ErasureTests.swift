// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What an app sees of an erasure.
@Suite(.watched) struct ErasureTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
    }

    private func signet(_ observer: (any SignetObserver)? = nil) throws -> EmulatedSignet {
        try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: self.clock, observer: observer) {
            $0.sessions.timeout = .seconds(1_000_000)
        }
    }

    private func names(of mpid: MPID) -> [String] {
        self.platform.events(of: mpid).compactMap(\.name).sorted()
    }

    @Test func anOpenHandleSeesItAtOnceAndItIsNews() async throws {
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await visitor.setDeviceIdentity("token", for: .pushToken)
            var changes = visitor.userChanges().makeAsyncIterator()
            let report = try await signet.runtime.eraseUser(mpid)
            #expect(report.installations == 1)
            #expect(visitor.currentUser == nil)
            #expect(visitor.user(mpid) == nil)
            let change = try #require(await changes.next(isolation: nil))
            #expect(change.current == nil)
            #expect(change.previous?.mpid == mpid)
            #expect(change.previous?.identities.isEmpty == true)
            // Nobody else is in front of the device, whose token says who it was.
            #expect(visitor.core.identityState.devices == DeviceIdentities())
            #expect(visitor.currentSession != nil)
        }
    }

    /// Not the first user of the installation, and not the erased one; a restart in between changes nothing.
    @Test(arguments: [false, true])
    func whatIsLoggedAfterwardsIsForTheUserWhoComesNext(isRestarted: Bool) async throws {
        let (first, erased) = try await self.signet().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("before anybody"))
            let first = try await visitor.identify([.email: "a@x"]).user.mpid
            try await signet.runtime.upload()
            self.platform.faults.injectAlways(.connectionRefused, on: .events)
            try visitor.log(.custom("of the first"))
            let erased = try await visitor.login([.customerID: "c-1"]).user.mpid
            #expect(erased != first)
            try visitor.log(.custom("erased"))
            try await signet.runtime.eraseUser(erased)
            try visitor.log(.custom("of nobody"))
            if !isRestarted {
                try await visitor.login([.customerID: "c-2"])
                self.platform.faults.clear()
                await signet.runtime.resumeUploads()
                try await signet.runtime.upload()
            }
            return (first, erased)
        }
        if isRestarted {
            self.platform.faults.clear()
            try await self.signet().run { signet in
                await signet.takeIn()
                let visitor = try await signet.runtime.open("v", identify: .none)
                #expect(visitor.currentUser == nil)
                // Everything of the first user goes before.
                await signet.runtime.resumeUploads()
                try await signet.runtime.upload()
                #expect(self.names(of: first) == ["before anybody", "of the first"])
                try await visitor.login([.customerID: "c-2"])
                try await signet.runtime.upload()
                #expect(signet.runtime.statistics.eventsLost == 0)
            }
        }
        #expect(self.names(of: first) == ["before anybody", "of the first"])
        #expect(self.names(of: erased).isEmpty)
        let next = try #require(self.platform.users().last { $0.mpid != first && $0.mpid != erased }?.mpid)
        #expect(self.names(of: next) == ["of nobody"])
    }

    @Test func whatTheErasedUserHadInheritedGoesAfterARestartToo() async throws {
        let erased = try await self.signet().run { signet in
            self.platform.faults.injectAlways(.connectionRefused, on: .events)
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("before anybody"))
            return try await visitor.login([.customerID: "c-1"]).user.mpid
        }
        self.platform.faults.clear()
        let signet = try self.signet()
        let report = try await signet.runtime.eraseUser(erased)
        // The event, and begin and end of the session around it.
        #expect(report.events >= 2)
        #expect(signet.runtime.statistics.eventsWaiting == 0)
        #expect(signet.runtime.statistics.eventsLost == 0)
        await signet.runtime.shutdown()
        _ = try await self.signet().run { signet in
            // The pause of the first life goes on; with nothing to send, it keeps nobody waiting.
            await until("the upload pause") { await signet.runtime.managers.events.pause != nil }
            try await signet.runtime.upload()
        }
        #expect(self.platform.batches().isEmpty)
    }

    @Test func whoComesBackIsANewUserAndIsNotErasedAgain() async throws {
        let mpid = try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await visitor.setAttribute("gold", for: "tier")
            try await signet.runtime.eraseUser(mpid)
            let back = try await visitor.login([.customerID: "c-1"])
            #expect(back.user.mpid == mpid)
            #expect(back.previousUser == nil)
            #expect(back.user.attributes.isEmpty)
            try visitor.log(.custom("back"))
            return mpid
        }
        // A restart finds nothing to finish.
        try await self.signet().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            #expect(visitor.currentUser?.mpid == mpid)
            let tombstones = try Tombstone.stored(in: signet.runtime.context.store)
            #expect(tombstones.isEmpty)
        }
        #expect(self.names(of: mpid) == ["back"])
    }

    @Test func anUnknownUserAndASecondCallFindNothing() async throws {
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            let known = try #require(visitor.currentUser?.mpid)
            let unknown = try #require(MPID(rawValue: 42))
            #expect(try await signet.runtime.eraseUser(unknown).isEmpty)
            #expect(visitor.currentUser?.mpid == known)
            #expect(try await !signet.runtime.eraseUser(known).isEmpty)
            #expect(try await signet.runtime.eraseUser(known).isEmpty)
            async let first = signet.runtime.eraseUser(unknown)
            async let second = signet.runtime.eraseUser(known)
            let reports = try await [first, second]
            #expect(reports.map(\.isEmpty) == [true, true])
        }
    }

    @Test func afterTheEndItIsAnError() async throws {
        let signet = try self.signet()
        await signet.runtime.shutdown()
        let mpid = try #require(MPID(rawValue: 42))
        let error = await #expect(throws: SignetError.self) { try await signet.runtime.eraseUser(mpid) }
        #expect(error?.code == .notRunning)
    }

    @Test func anAnswerThatBringsTheUserBackIsNewsOfThePlatform() async throws {
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            let gate = EmulatorGate()
            self.platform.faults.inject(.replyHeld(gate), on: .identify)
            async let late = visitor.identify([.customerID: "c-1"])
            await gate.arrived()
            try await signet.runtime.eraseUser(mpid)
            #expect(visitor.currentUser == nil)
            gate.open()
            #expect(try await late.user.mpid == mpid)
            #expect(visitor.currentUser?.mpid == mpid)
            try visitor.log(.custom("back"))
            try await signet.runtime.upload()
            #expect(self.names(of: mpid).last == "back")
        }
    }

    @Test func aLateModifyDoesNotBringTheUserBack() async throws {
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            let gate = EmulatorGate()
            self.platform.faults.inject(.replyHeld(gate), on: .modify)
            async let late: Void = {
                let error = await #expect(throws: SignetError.self) { try await visitor.modify([.email: "a@x"]) }
                #expect(error?.code == .noUser)
            }()
            await gate.arrived()
            try await signet.runtime.eraseUser(mpid)
            gate.open()
            await late
            #expect(visitor.user(mpid) == nil)
        }
    }

    @Test func anAliasRequestThatNamesTheUserIsNotSent() async throws {
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            self.clock.advance(by: .milliseconds(500))
            let result = try await visitor.login([.customerID: "c-1"])
            let (source, destination) = (try #require(result.previousUser), result.user)
            self.platform.faults.injectAlways(.connectionRefused, on: .events)
            try visitor.log(.custom("x"))
            self.clock.advance(by: .milliseconds(500))
            var outcomes = visitor.aliasOutcomes().makeAsyncIterator()
            let id = try await visitor.alias(AliasRequest(source: source, destination: destination))
            let report = try await signet.runtime.eraseUser(destination.mpid)
            #expect(report.aliasRequests == 1)
            let outcome = try #require(await outcomes.next(isolation: nil))
            #expect(outcome.id == id)
            guard case .forgotten = outcome.kind else { return #expect(Bool(false), "\(outcome)") }
            #expect(self.platform.aliases().isEmpty)
        }
        self.platform.faults.clear()
        try await self.signet().run { signet in
            await signet.takeIn()
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
        }
        #expect(self.platform.aliases().isEmpty)
    }
}
