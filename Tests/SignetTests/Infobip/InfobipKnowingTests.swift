// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// What equals what the service has need not be sent: only where it is known what it has.
@Suite struct InfobipKnowingTests {
    private typealias Scene = InfobipMachineScene

    private static let own: InfobipInstallationChanges = {
        var changes = InfobipInstallationChanges()
        changes.isPrimary = true
        changes.customAttributes["a"] = .set("1")
        return changes
    }()

    private static let primary: InfobipInstallationChanges = {
        var changes = InfobipInstallationChanges()
        changes.isPrimary = true
        return changes
    }()

    /// Ann's machine, and what the installation has of her.
    private static func machine(_ stage: Scene.Stage = .clean) -> InfobipStateMachine {
        var machine = Scene.machine(in: stage)
        machine.memory.profile = machine.memory.profile.applying(Self.own)
        return machine
    }

    private static func waits(_ call: InfobipCall, _ machine: inout InfobipStateMachine) -> Bool {
        if case .waits = machine.begin(call, now: .zero).0 { true } else { false }
    }

    private static func begin(_ call: InfobipCall, _ machine: inout InfobipStateMachine) {
        _ = machine.begin(call, now: .zero)
        _ = machine.next(now: .zero, milliseconds: 0)
    }

    private static func end(_ answer: InfobipStateMachine.Answer, _ machine: inout InfobipStateMachine) -> [String] {
        guard let underWay = machine.underWay else { return ["nothing is under way"] }
        defer { machine.clearPause() }
        return machine.finish(underWay.number, answer, now: .zero, milliseconds: 0, jitter: 0).map(Scene.name)
    }

    private static let lost = InfobipStateMachine.Answer.failed(Scene.error, mayHaveHappened: true)

    // MARK: - A personalize without an answer

    @Test func aPersonalizeMayHaveSaidOtherwise() {
        var machine = Self.machine()
        var attributes = InfobipAttributes()
        attributes.firstName = "Bea"
        let ann = InfobipIdentity(externalUserID: "ann")
        Self.begin(.personalize(.init(identity: ann, attributes: attributes, options: .init())), &machine)
        _ = Self.end(Self.lost, &machine)
        #expect(Self.waits(.saveUser(Scene.change("Ann")), &machine))
        #expect(machine.memory.userChanges == Scene.change("Ann"))
        #expect(Self.waits(.saveInstallation(Self.primary), &machine))
        #expect(machine.memory.installationChanges == Self.primary)
    }

    @Test func whileSomebodyElseIsCalledForByForceNothingIsSavedForAnybody() {
        var machine = Self.machine()
        Self.begin(.fetchUser, &machine)
        #expect(Self.waits(.personalize(Scene.personalization(force: true)), &machine))
        guard case .ended(.failure(let error)) = machine.begin(.saveUser(Scene.change("B")), now: .zero).0 else {
            Issue.record("It was taken.")
            return
        }
        #expect(error.code == .identityUndetermined)
        #expect(machine.memory.userChanges.isEmpty)
    }

    // MARK: - A log-out from elsewhere

    @Test func whatWasTheirsOnTheInstallationHasGoneWithThem() {
        var machine = Self.machine()
        Self.begin(.fetchUser, &machine)
        _ = Self.end(.user(InfobipUser()), &machine)
        #expect(machine.memory.profile.customAttributes.isEmpty && !machine.memory.profile.isPrimary)
        #expect(machine.chosen == .fetchInstallation)
        #expect(Self.waits(.saveInstallation(Self.own), &machine))
    }

    @Test func whoComesInTheirPlaceHasNothingOfTheirs() {
        var machine = Self.machine()
        machine.memory.user.type = .customer
        Self.begin(.personalize(Scene.personalization(force: false)), &machine)
        _ = Self.end(.user(InfobipUser().applying(Scene.change("Bob", identity: "bob"))), &machine)
        #expect(machine.memory.profile.customAttributes.isEmpty && !machine.memory.profile.isPrimary)
        #expect(machine.chosen == .fetchInstallation)
    }

    // MARK: - The same for the next person

    @Test(arguments: [true, false]) func whatIsSavedAnewForTheNextIsTheirs(isRefused: Bool) {
        var machine = Scene.machine(in: .clean)
        Self.begin(.saveInstallation(Self.own), &machine)
        _ = Scene.apply(.depersonalize, to: &machine)
        _ = machine.begin(.saveInstallation(Self.own), now: .zero)
        _ = Self.end(isRefused ? .refused(Scene.error, rollsBackIdentity: false) : .done, &machine)
        #expect(machine.memory.installationChanges == Self.own)
    }

    @Test func whatIsSavedAnewForWhoComesByForceIsTheirs() {
        var machine = Scene.machine(in: .clean)
        Self.begin(.saveInstallation(Self.own), &machine)
        _ = Self.end(.failed(Scene.error, mayHaveHappened: false), &machine)
        Self.begin(.personalize(Scene.personalization(force: true)), &machine)
        #expect(Self.waits(.saveInstallation(Self.primary), &machine))
        let bob = InfobipUser().applying(Scene.change("Bob", identity: "bob"))
        #expect(Self.end(.user(bob), &machine).filter { $0.hasPrefix("end") } == ["end done"])
        // What was ann's has gone with her.
        #expect(machine.memory.installationChanges == Self.primary)
    }

    @Test func whatWasSavedSinceALoginThatIsImpossibleIsOfWhoComesThen() {
        var machine = Scene.machine(in: .following)
        _ = machine.next(now: .zero, milliseconds: 0)
        _ = machine.begin(.saveInstallation(Self.own), now: .zero)
        let impossible = InfobipRefusal.Reason.personalizationImpossible.rawValue
        let error = SignetError(.rejected, "no", errors: [PlatformError(code: impossible, message: "no")])
        _ = Self.end(.refused(error, rollsBackIdentity: false), &machine)
        #expect(machine.memory.depersonalization.isRequested)
        #expect(machine.memory.installationChanges == Self.own)
    }

    // MARK: - The primary one

    @Test func whichIsThePrimaryOneIsNotKnownWithoutAnAnswer() {
        var machine = Self.machine()
        Self.begin(.setPrimary("2", true), &machine)
        _ = Self.end(Self.lost, &machine)
        #expect(Self.waits(.saveInstallation(Self.primary), &machine))
    }

    @Test func amongTheInstallationsOfNobodyItIsNotYetThePrimaryOneOfAnybody() {
        var machine = Self.machine(.restoring)
        machine.isInfobipKnown = true
        _ = machine.next(now: .zero, milliseconds: 0)
        _ = Self.end(.failed(Scene.error, mayHaveHappened: false), &machine)
        #expect(Self.waits(.saveInstallation(Self.primary), &machine))
        #expect(machine.memory.installationChanges == Self.primary)
    }

    // MARK: - A service that does not say

    @Test func whatWaitsDoesNotWaitForAnInstallationThatCannotBeFetched() {
        var machine = Self.machine()
        machine.doubtInfobip()
        _ = machine.queue([1], now: .zero)
        let later = InfobipStateMachine.quiet
        #expect(machine.choose(isPaused: false, now: .zero, milliseconds: 0)?.0 == .fetchInstallation)
        #expect(machine.choose(isPaused: false, now: later, milliseconds: 0)?.0 == .sendEvents(0..<1))
    }
}

extension InfobipStateMachine {
    fileprivate var chosen: Operation? {
        self.choose(isPaused: false, now: .zero, milliseconds: 0)?.0
    }
}
