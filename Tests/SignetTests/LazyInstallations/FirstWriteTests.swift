// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// The first thing that an installation does makes it durable.
@Suite(.watched) struct FirstWriteTests {
    /// What an app may do first.
    enum First: String, CaseIterable, Sendable {
        case event, breadcrumb, timedEvent, session, identify, login, consent, context, noContext, device, optOut, optIn

        func perform(on visitor: Installation) async throws {
            switch self {
            case .event: try visitor.log(.custom("first"))
            case .breadcrumb: try visitor.leaveBreadcrumb("first")
            case .timedEvent:
                try visitor.beginTimedEvent(.custom("first"))
                try visitor.endTimedEvent("first")
            case .session: try await visitor.beginSession()
            case .identify: try await visitor.identify()
            case .login: try await visitor.login([.customerID: "c-1"])
            case .consent: try await visitor.setConsent(ConsentState(ccpaDataSaleOptOut: Consent(true)))
            case .context: try visitor.setContext(LazyScene.context(7))
            case .noContext: try visitor.setContext(nil)
            case .device: try await visitor.setDeviceIdentity("token", for: .pushToken)
            case .optOut: try await visitor.setOptedOut(true)
            case .optIn: try await visitor.setOptedOut(false)
            }
        }

        /// True if it logs an event.
        var logs: Bool {
            switch self {
            case .event, .breadcrumb, .timedEvent, .session, .optOut, .optIn: true
            case .identify, .login, .consent, .context, .noContext, .device: false
            }
        }
    }

    private let scene: LazyScene

    init() throws {
        self.scene = try LazyScene()
    }

    @Test(arguments: First.allCases) func eachMakesItDurable(first: First) async throws {
        let image: TemporaryFolder
        let signet = try self.scene.process()
        let stamp = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
            #expect(signet.number(of: "v") == 0)
            try await first.perform(on: visitor)
            let number = try #require(signet.number(of: "v"))
            #expect(number == 1)
            let store = signet.runtime.context.store
            #expect(try store.value(for: StateKey.number(number)) == Array("v".utf8))
            let state = try #require(try store.value(for: StateKey.identity("v")))
            #expect(try IdentityState(decoding: state).number == number)
            return visitor.deviceApplicationStamp
        }
        image = try TemporaryFolder(copying: self.scene.folder)
        try await self.scene.process(in: image.path).run { next in
            let again = try await next.runtime.open("v", identify: .none)
            #expect(again.deviceApplicationStamp == stamp)
            #expect(next.number(of: "v") == 1)
        }
    }

    /// The images are of the moments before each call to the disk.
    @Test(arguments: First.allCases)
    func aKillAtAnyWriteLeavesNoEventWithoutItsInstallation(first: First) async throws {
        let images = try KillImages(of: self.scene.folder.path)
        let signet = try self.scene.process {
            images.watch(&$0)
            // Each event is a call to the disk.
            $0.journal.storage = .written
        }
        var count = 0
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
            images.begin()
            try await first.perform(on: visitor)
            count = images.end()
        }
        #expect(count > 1)
        for number in TestScale.steps(count, every: 3, from: first.logs ? 0 : 1) {
            let next = try self.scene.process(in: images.path(number))
            let context = next.runtime.context
            let isThere = context.store.contains(StateKey.identity("v"))
            if context.journal.liveCount > 0 {
                #expect(isThere, "image \(number) has events without an installation")
                #expect(try context.numbers.installation(1) == "v")
                #expect(first == .noContext || context.store.contains(StateKey.chosenContext("v")))
            }
            if number == count - 1 {
                #expect(isThere)
                if first.logs { #expect(context.journal.liveCount > 0) }
            }
            try await next.run { next in
                try await next.runtime.open("v", identify: .none).logIfPossible(.custom("after"))
                #expect(next.runtime.statistics.damagedRecords == 0)
            }
        }
    }

    /// A number, and a context with an address, of an installation that never was.
    @Test(arguments: [First.event, .consent])
    func whatAKillLeavesOfNoInstallationIsRemoved(first: First) async throws {
        let images = try KillImages(of: self.scene.folder.path)
        var count = 0
        try await self.scene.process { images.watch(&$0) }.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
            images.begin()
            try await first.perform(on: visitor)
            count = images.end()
        }
        var leftovers = 0
        for number in 0..<count {
            let next = try self.scene.process(in: images.path(number))
            let store = next.runtime.context.store
            let isThere = store.contains(StateKey.identity("v"))
            if !isThere, store.contains(StateKey.number(1)) { leftovers += 1 }
            try await UnbornInstallations(next.runtime.opening).remove()
            #expect(store.contains(StateKey.number(1)) == isThere, "image \(number)")
            #expect(store.contains(StateKey.chosenContext("v")) == isThere, "image \(number)")
            await next.runtime.shutdown()
        }
        #expect(leftovers > 0)
    }

    @Test func whatIsBeingWrittenOrWaitedForIsNotRemoved() async throws {
        let signet = try self.scene.process()
        let context = signet.runtime.context
        let unborn = UnbornInstallations(signet.runtime.opening)
        let visitor = try await signet.runtime.open("v", identify: .none)
        let number = try context.numbers.assign(to: "v")
        try context.store.put([1], for: StateKey.chosenContext("v"))
        let waiting = try context.numbers.assign(to: "w")
        try context.store.put([1], for: StateKey.optOut(waiting, upTo: 1))
        try await unborn.remove()
        #expect(context.store.contains(StateKey.number(number)))
        #expect(context.store.contains(StateKey.chosenContext("v")))
        withExtendedLifetime(visitor) {}
        signet.runtime.evict("v")
        try await unborn.remove()
        #expect(!context.store.contains(StateKey.number(number)))
        #expect(!context.store.contains(StateKey.chosenContext("v")))
        #expect(context.store.contains(StateKey.number(waiting)))
        await signet.runtime.shutdown()
    }

    /// Each call to the disk is refused once; what `log` accepted is there afterwards, what it refused is not.
    @Test func aDiskThatRefusesOneCallLosesNothingThatWasAccepted() async throws {
        var index = 0
        while true {
            let scene = try LazyScene()
            let (calls, isArmed, refuses) = (Locked(0), Locked(false), index)
            let signet = try scene.process {
                $0.journal.storage = .written
                $0.disk = Disk(asking: { request in
                    guard request.call != .read, isArmed.withLock({ $0 }) else { return nil }
                    let call = calls.withLock { calls in
                        calls += 1
                        return calls - 1
                    }
                    return call == refuses ? .failure(28) : nil
                })
            }
            let names = try await signet.run { signet in
                let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
                var names: [String] = []
                for name in ["first", "second"] {
                    isArmed.withLock { $0 = name == "first" }
                    do throws(SignetError) {
                        try visitor.log(.custom(name))
                        names.append(name)
                    } catch {
                        #expect([.diskFull, .diskFailed, .directoryUnusable].contains(error.code), "\(error)")
                        if name == "first", signet.number(of: "v") == 0 { #expect(visitor.currentSession == nil) }
                    }
                    isArmed.withLock { $0 = false }
                    // A disk that failed is left alone for five seconds.
                    signet.clock.advance(by: .seconds(6))
                }
                #expect(names.contains("second"))
                try await visitor.identify()
                try await signet.runtime.upload()
                return names
            }
            #expect(signet.runtime.statistics.eventsLost == 0)
            #expect(scene.addresses.keys.filter { ["first", "second"].contains($0) }.sorted() == names)
            #expect(scene.addresses["second"] == "198.51.100.1")
            if calls.withLock({ $0 }) <= refuses { break }
            index += 1
        }
        #expect(index > 4)
    }

    @Test func aFullDiskRefusesTheFirstWritesAndTheInstallationStaysUndurable() async throws {
        let isFull = Locked(false)
        let signet = try self.scene.process {
            $0.disk = Disk(asking: { request in
                request.call != .read && isFull.withLock { $0 } ? .failure(28) : nil
            })
        }
        try await signet.run { signet in
            let before = try Traces(signet)
            isFull.withLock { $0 = true }
            // An open needs no disk.
            let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
            for first in [First.event, .session, .consent, .context, .noContext, .device, .optOut] {
                let error = await #expect(throws: SignetError.self) { try await first.perform(on: visitor) }
                #expect(error?.code == .diskFull || error?.code == .diskFailed, "\(first)")
            }
            #expect(signet.number(of: "v") == 0)
            #expect(!visitor.isOptedOut && visitor.currentSession == nil)
            #expect(try Traces(signet) == before)
            // An answer of the platform has happened: it stands, and is written with the next change.
            let mpid = try await visitor.identify().user.mpid
            #expect(visitor.currentUser?.mpid == mpid)
            isFull.withLock { $0 = false }
            signet.clock.advance(by: .seconds(6))
            try visitor.log(.custom("x"))
            signet.runtime.evict("v")
            #expect(try await signet.runtime.open("v", identify: .none).currentUser?.mpid == mpid)
        }
    }
}
