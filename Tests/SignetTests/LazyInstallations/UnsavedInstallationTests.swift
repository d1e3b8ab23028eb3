// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet

/// When an installation becomes durable, by what a transaction writes.
@Suite(.watched) struct UnsavedInstallationTests {
    /// What a step may write, by its name.
    enum Kind: CaseIterable, Sendable {
        case nothing, removal, record, users, event, session, requiredSession, context
    }

    private let scene: LazyScene

    init() throws {
        self.scene = try LazyScene()
    }

    private static func machine(isDurable: Bool) -> InstallationMachine {
        var state = IdentityState(deviceApplicationStamp: .random(), now: 0)
        if isDurable { state.number = 7 }
        return InstallationMachine(
            identity: state,
            sessions: SessionStateMachine(rules: SessionRules(mode: .server)),
            unsaved: isDurable ? nil : UnsavedInstallation(context: LazyScene.context(1))
        )
    }

    private static func writer(_ signet: EmulatedSignet) -> InstallationWriter {
        InstallationWriter(id: "v", context: signet.runtime.context, managers: signet.runtime.managers)
    }

    private static func write(
        _ kind: Kind,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) {
        switch kind {
        case .nothing: break
        case .removal: transaction.write(.remove([1]))
        case .record: transaction.write(.put([1], for: [1]))
        case .users: transaction.write(.identity(machine.state))
        case .event: machine.log(EventBody.details(of: .custom("x")), of: nil, &transaction)
        case .session: transaction.saveSession(of: machine)
        case .requiredSession: transaction.saveSession(of: machine, isRequired: true)
        case .context: transaction.write(.chooseContext(1))
        }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func itBecomesDurableWithTheFirstThingThatIsAdded(kind: Kind, isDurable: Bool) async throws {
        let signet = try self.scene.process()
        var machine = Self.machine(isDurable: isDurable)
        let writer = Self.writer(signet)
        var transaction = writer.begin(InstallationFrames(last: 0))
        Self.write(kind, &machine, &transaction)
        transaction.step(&machine)
        let adds = kind != .nothing && kind != .removal
        #expect(machine.becomesDurable(with: transaction) == (adds && !isDurable))
        await signet.runtime.shutdown()
    }

    @Test func onlyAnUnsavedOneHoldsAContextAndOnlyWhileItIsOpen() {
        var durable = Self.machine(isDurable: true)
        var isHeld = durable.hold(LazyScene.context(2))
        #expect(!isHeld)
        var open = Self.machine(isDurable: false)
        isHeld = open.hold(LazyScene.context(2))
        #expect(isHeld)
        #expect(open.unsaved?.context == LazyScene.context(2))
        open.reserve(3)
        isHeld = open.hold(LazyScene.context(4))
        #expect(isHeld)
        #expect(open.unsaved?.number == 3)
        _ = open.close()
        isHeld = open.hold(LazyScene.context(5))
        #expect(!isHeld)
        #expect(open.unsaved?.context == LazyScene.context(4))
    }

    @Test func aReservedNumberIsUsedByTheNextAttempt() async throws {
        let signet = try self.scene.process()
        var machine = Self.machine(isDurable: false)
        let reserved = try signet.runtime.context.numbers.assign(to: "v")
        machine.reserve(reserved)
        try Self.writer(signet).makeDurable(&machine)
        #expect(machine.state.number == reserved)
        #expect(!machine.isUnsaved && machine.own != 0)
        #expect(try signet.runtime.context.numbers.assign(to: "w") == reserved + 1)
        await signet.runtime.shutdown()
    }

    @Test func whatIsNeededByRecordsOfOthersIsRefusedOnceItIsRetired() async throws {
        let signet = try self.scene.process()
        var machine = Self.machine(isDurable: false)
        machine.retire()
        var transaction = Self.writer(signet).begin(InstallationFrames(last: 0))
        #expect(throws: SignetError.self) { try machine.requireDurable(&transaction) }
        await signet.runtime.shutdown()
    }
}
