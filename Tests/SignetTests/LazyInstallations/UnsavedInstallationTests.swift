// SPDX-License-Identifier: Apache-2.0

import SignetJournal
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

    /// Events and records of sessions take the number that the installation has got; the rest may depend on it otherwise.
    @Test(arguments: Kind.allCases, [false, true])
    func itDecidesAgainIfMoreThanAStampDependsOnTheNumber(kind: Kind, hasEffect: Bool) async throws {
        let signet = try self.scene.process()
        let store = LocalInstallationStore(Self.machine(isDurable: false), writer: Self.writer(signet))
        var runs = 0
        let commit = try store.transact { machine, transaction in
            runs += 1
            for _ in 0..<2 {
                Self.write(kind, &machine, &transaction)
                transaction.step(&machine)
            }
            if hasEffect { transaction.add(.optedOut) }
        }
        let isAlone = [.nothing, .removal].contains(kind)
        let isOnlyStamped = [.event, .session, .requiredSession].contains(kind) && !hasEffect
        #expect(runs == (isAlone || isOnlyStamped ? 1 : 2))
        #expect(commit.marks.contains(.becameDurable) == !isAlone)
        let (number, own, isUnsaved) = store.read { ($0.state.number, $0.own, $0.isUnsaved) }
        #expect(isUnsaved == isAlone)
        #expect((number != 0 && own != 0) == !isAlone)
        var events = 0
        _ = try signet.runtime.context.journal.visit(after: 0, limit: 10) { _, stamp, _ in
            events += 1
            let metadata = EventMetadata(stamp)
            #expect(metadata?.installation == number)
            #expect(metadata?.own == own)
        }
        #expect(events == (kind == .event ? 2 : 0))
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
