// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// Whose events are while nobody knows whether somebody else has come: a forced personalize had no answer.
@Suite struct InfobipDoubtTests {
    private typealias Scene = InfobipMachineScene
    private static let ann = InfobipIdentity(externalUserID: "ann")
    private static let bob = InfobipIdentity(externalUserID: "bob")

    private static func events(of id: String, _ world: InfobipWorld) -> [String] {
        guard let number = world.infobip.person(externalUserID: id)?.number else { return [] }
        return world.infobip.events(of: number).map(\.definitionID)
    }

    /// The app sees ann, and an event of hers comes after a personalize of bob by force that ends like this.
    private static func tellInDoubt(_ fault: FaultInjector.Fault, _ world: InfobipWorld, isRestarted: Bool) async throws
    {
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            world.emulator.faults.inject(fault, on: .personalize)
            world.emulator.faults.injectAlways(.status(503), on: .fetchPerson)
            _ = await code { try await profile.personalize(Self.bob, forceDepersonalize: true) }
            #expect(profile.user.externalUserID == "ann")
            if !isRestarted { try await profile.submit(InfobipEvent("of-ann"), .queued) }
        }
        if isRestarted {
            try await world.live { _, it in try await it.infobip.submit(InfobipEvent("of-ann"), .queued) }
        }
        world.emulator.faults.clear()
        try await world.live { _, it in try await world.settle(it) }
    }

    @Test(arguments: [false, true])
    func whatIsToldOfWhomTheAppSeesIsNotToldOfWhoHasCome(isRestarted: Bool) async throws {
        let world = try InfobipWorld()
        try await Self.tellInDoubt(.replyLost, world, isRestarted: isRestarted)
        #expect(world.infobip.person(externalUserID: "bob")?.installations.count == 1)
        #expect(world.infobip.events().isEmpty)
    }

    @Test(arguments: [false, true])
    func itIsToldWhereNobodyHasCome(isRestarted: Bool) async throws {
        let world = try InfobipWorld()
        try await Self.tellInDoubt(.status(503), world, isRestarted: isRestarted)
        #expect(Self.events(of: "ann", world) == ["of-ann"])
    }

    /// A machine whose app sees ann while a personalize by force is in doubt; the first event came while it was under way, the
    /// second one since.
    private static func doubtful() -> InfobipStateMachine {
        var machine = Scene.machine(in: .clean)
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        _ = machine.next(now: .zero, milliseconds: 0)
        _ = machine.queue([1], now: .zero)
        _ = Scene.apply(.unanswered, to: &machine)
        _ = machine.queue([2], now: .zero)
        machine.clearPause()
        return machine
    }

    private static func found(_ id: String, by machine: inout InfobipStateMachine) -> [String] {
        guard case .perform(let number, .fetchUser) = machine.next(now: .zero, milliseconds: 0) else {
            return ["not fetched"]
        }
        let user = InfobipUser().applying(Scene.change("x", identity: id))
        return machine.finish(number, .user(user), now: .zero, milliseconds: 0, jitter: 0).map(Scene.name)
    }

    @Test func whatCameWhileItWasUnderWayIsOfWhoHasCome() {
        var machine = Self.doubtful()
        #expect(Self.found("bob", by: &machine) == ["save", "drop 1"])
        #expect(machine.memory.events == 0..<1)
        machine = Self.doubtful()
        #expect(Self.found("ann", by: &machine) == ["save"])
        #expect(machine.memory.events == 0..<2)
        #expect(machine.memory.doubted == nil)
    }

    @Test func whoComesNextByForceWaitsUntilItIsKnownWhomItIsOf() {
        var machine = Self.doubtful()
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        _ = machine.queue([3], now: .zero)
        #expect(Self.found("bob", by: &machine) == ["save", "drop 1"])
        // The one that is gone is between others: there is nothing left of it on disk.
        #expect(machine.memory.events == 0..<3)
        #expect(machine.choose(isPaused: false, now: .zero, milliseconds: 0)?.0 == .sendEvents(0..<2))
    }

    /// Also where nothing was told in doubt before they were asked for.
    @Test func whatIsToldAfterSomebodyElseWasAskedForIsTheirs() {
        var machine = Scene.machine(in: .clean)
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        _ = machine.next(now: .zero, milliseconds: 0)
        _ = Scene.apply(.unanswered, to: &machine)
        machine.clearPause()
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        _ = machine.queue([1], now: .zero)
        #expect(!Self.found("bob", by: &machine).contains { $0.hasPrefix("drop") })
        #expect(machine.memory.events == 0..<1)
    }

    @Test func whoComesNextDoesNotWaitForEver() {
        var machine = Self.doubtful()
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        #expect(Scene.apply(.failed, to: &machine) == "tell failed, end throws rejected")
        #expect(machine.next(now: .zero, milliseconds: 0) == .wait(until: machine.pausedUntil ?? .zero))
    }

    @Test func whoeverGoesIsFetchedFirstWhereThatDecidesWhoseItIs() throws {
        for (found, left) in [("ann", 0..<2), ("bob", 0..<1)] as [(String, Range<UInt64>)] {
            var machine = Self.doubtful()
            #expect(Scene.apply(.depersonalize, to: &machine) == "waits, save")
            // The next life knows it, too.
            let memory = try #require(try InfobipMemory(machine.memory.encoded()))
            machine = InfobipStateMachine(restoring: memory, systemHash: ("h", "h"))
            #expect(Self.found(found, by: &machine).last == (found == "ann" ? "save" : "drop 1"))
            #expect(machine.memory.events == left)
            #expect(machine.choose(isPaused: false, now: .zero, milliseconds: 0)?.0 == .sendEvents(left))
        }
    }

    @Test func whereNobodyIsToldWhoItIsTheyGoAllTheSame() {
        var machine = Self.doubtful()
        _ = Scene.apply(.depersonalize, to: &machine)
        #expect(Scene.apply(.failed, to: &machine) == "save, tell failed, end pending")
        machine.clearPause()
        #expect(Scene.apply(.refused, to: &machine) == "save, tell failed, drop 1")
        #expect(machine.memory.events == 0..<1)
        #expect(machine.choose(isPaused: false, now: .zero, milliseconds: 0)?.0 == .sendEvents(0..<1))
    }

    @Test func whatIsDroppedFromTheMiddleStaysDroppedOverADeath() throws {
        var machine = Self.doubtful()
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        _ = machine.queue([3], now: .zero)
        _ = Self.found("bob", by: &machine)
        let memory = try #require(try InfobipMemory(machine.memory.encoded()))
        #expect((memory.events, memory.untold) == (0..<3, 1..<2))
        // Another event under the same number is told.
        var other = memory
        other.events = 0..<1
        other.events = 0..<4
        #expect(other.untold.isEmpty)
    }

    @Test func whatNobodyDidIsNotToldOfWhoWasNotLoggedOut() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.personalize(Self.ann)
            let no = FaultInjector.Fault.refused(status: 400, code: "9", message: "no")
            world.emulator.faults.injectAlways(no, on: .depersonalize)
            world.emulator.faults.injectAlways(.status(503), on: .fetchPerson)
            for _ in 0..<3 { _ = await code { try await profile.depersonalize() } }
            #expect(!profile.isDepersonalizationPending)
            // The app sees nobody, and the service has ann still.
            #expect(profile.user == InfobipUser())
            try await profile.submit(InfobipEvent("of-nobody"), .queued)
            world.emulator.faults.clear()
            try await profile.fetchUser()
            try await profile.submit(InfobipEvent("of-ann"), .queued)
        }
        try await world.live { _, it in try await world.settle(it) }
        #expect(Self.events(of: "ann", world) == ["of-ann"])
        #expect(world.infobip.events().count == 1)
    }

    @Test func whatIsToldAfterTheRuntimeHasEndedIsInDoubtToo() {
        var machine = Scene.machine(in: .clean)
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        _ = machine.next(now: .zero, milliseconds: 0)
        _ = machine.queue([1], now: .zero)
        machine.interrupt()
        _ = machine.endAll(.failure(Scene.error))
        _ = machine.queue([2], now: .zero)
        #expect(machine.memory.doubted == 1)
        #expect(Self.found("bob", by: &machine) == ["save", "drop 1"])
        #expect(machine.memory.events == 0..<1)
    }

    /// Erasing a user who is not in front of the installation any more.
    @Test func whoIsErasedIsNotRememberedAsTheOneWhoGoes() {
        var machine = Self.doubtful()
        _ = Scene.apply(.depersonalize, to: &machine)
        #expect(String(decoding: machine.memory.encoded(), as: UTF8.self).contains("ann"))
        _ = machine.forgetLeft()
        #expect(!String(decoding: machine.memory.encoded(), as: UTF8.self).contains("ann"))
        #expect(machine.memory.events.isEmpty)
        #expect(machine.choose(isPaused: false, now: .zero, milliseconds: 0)?.0 == .depersonalize)
    }

    /// What is told while a depersonalize waits is of whoever comes, whatever becomes of what was in doubt.
    @Test func whatComesAfterADepersonalizeIsNotInDoubt() {
        var machine = Self.doubtful()
        _ = Scene.apply(.depersonalize, to: &machine)
        _ = machine.queue([3], now: .zero)
        #expect(Self.found("bob", by: &machine) == ["save", "drop 1"])
        #expect(machine.memory.events == 0..<3)
        #expect(machine.memory.untold == 1..<2)
        #expect(machine.choose(isPaused: false, now: .zero, milliseconds: 0)?.0 == .sendEvents(0..<2))
    }

    // MARK: - What was theirs on the installation

    private static let own: InfobipInstallationChanges = {
        var changes = InfobipInstallationChanges()
        changes.isPrimary = true
        changes.customAttributes["a"] = .set("1")
        return changes
    }()

    /// A personalize by force takes it back: what equals it is to be saved all the same while nobody knows.
    @Test(arguments: [true, false])
    func whatEqualsWhatMayHaveGoneIsSaved(isAsked: Bool) throws {
        var machine = Scene.machine(in: .clean)
        machine.memory.profile = machine.memory.profile.applying(Self.own)
        _ = machine.begin(.personalize(Scene.personalization(force: true)), now: .zero)
        _ = machine.next(now: .zero, milliseconds: 0)
        _ = Scene.apply(.unanswered, to: &machine)
        machine.clearPause()
        if isAsked { #expect(Self.found("bob", by: &machine) == ["save"]) }
        let (beginning, actions) = machine.begin(.saveInstallation(Self.own), now: .zero)
        guard case .waits = beginning else {
            Issue.record("\(beginning), \(actions.map(Scene.name))")
            return
        }
        if !isAsked { #expect(Self.found("bob", by: &machine) == ["save"]) }
        #expect(machine.memory.installationChanges == Self.own)
        guard case .saveInstallation(Self.own, known: nil, _, _)? = machine.chosen else {
            Issue.record("\(String(describing: machine.chosen))")
            return
        }
        _ = Scene.apply(.done, to: &machine)
        #expect(machine.memory.profile.isPrimary && machine.memory.profile.customAttributes == ["a": "1"])
    }

    /// A depersonalize that was refused has taken nothing back.
    @Test func whatIsStillThereIsFetched() {
        var machine = Scene.machine(in: .clean)
        machine.memory.profile = machine.memory.profile.applying(Self.own)
        _ = Scene.apply(.depersonalize, to: &machine)
        for _ in 0..<InfobipStateMachine.refusals {
            _ = Scene.apply(.refused, to: &machine)
            machine.clearPause()
        }
        #expect(machine.memory.profile.customAttributes.isEmpty)
        _ = Self.found("ann", by: &machine)
        #expect(machine.chosen == .fetchInstallation)
        _ = Scene.apply(.done, to: &machine)
        #expect(machine.chosen == nil)
    }
}

extension InfobipStateMachine {
    fileprivate var chosen: Operation? {
        self.choose(isPaused: false, now: .zero, milliseconds: 0)?.0
    }
}
