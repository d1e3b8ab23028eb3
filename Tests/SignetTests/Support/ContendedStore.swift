// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetWire

import class FoundationEssentials.ProcessInfo

@testable import Signet

/// A store with compare-and-set, as several processes would share one: it loses every third commit and applies it again.
final class ContendedStore: InstallationStore {
    private struct State {
        var machine: InstallationMachine
        var frames: InstallationFrames
        var version = 0
        var commits = 0
    }

    private let writer: InstallationWriter
    private let state: Locked<State>
    /// Counts the commits that were lost.
    private let losses: Locked<Int>

    init(_ machine: InstallationMachine, writer: InstallationWriter, losses: Locked<Int> = Locked(0)) {
        self.writer = writer
        self.losses = losses
        self.state = Locked(
            State(machine: machine, frames: InstallationFrames(last: writer.context.journal.lastSequence))
        )
    }

    func transact<Value>(
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) throws(SignetError) -> InstallationCommit<Value> {
        while true {
            // Nothing is locked while it decides.
            let read = self.state.withLock { $0 }
            var (machine, transaction) = (read.machine, self.writer.begin(read.frames))
            let value = try body(&machine, &transaction)
            transaction.step(&machine)
            if read.machine.becomesDurable(with: transaction) {
                // Then it decides again, on the machine with its number.
                if let commit = self.makeDurable(read, transaction, value) { return commit }
                continue
            }
            var commit: InstallationCommit<Value>?
            self.state.withLock { state in
                state.commits += 1
                // Another one came first.
                if state.commits % 3 == 0 { state.version += 1 }
                guard state.version == read.version else { return }
                state.version += 1
                commit = self.writer.commit(transaction, value, &state.machine, &state.frames)
            }
            if let commit { return commit }
            self.losses.withLock { $0 += 1 }
        }
    }

    /// Makes the installation durable, unless another transaction came first.
    ///
    /// - Returns: Nil, or what becomes of the transaction on a disk that refuses the installation.
    private func makeDurable<Value>(
        _ read: State,
        _ transaction: InstallationTransaction,
        _ value: Value
    ) -> InstallationCommit<Value>? {
        var commit: InstallationCommit<Value>?
        self.state.withLock { state in
            guard state.version == read.version else { return }
            state.version += 1
            do throws(SignetError) {
                try self.writer.makeDurable(&state.machine)
            } catch {
                commit = self.writer.commit(transaction, value, &state.machine, &state.frames, refusedBy: error)
            }
        }
        return commit
    }

    func read<Value>(_ body: (borrowing InstallationMachine) -> Value) -> Value {
        self.state.withLock { body($0.machine) }
    }

    func update<Value>(_ body: (inout InstallationMachine) -> Value) -> Value {
        self.state.withLock { state in
            state.version += 1
            return body(&state.machine)
        }
    }

    func append(
        _ kind: EventKind,
        _ json: UnsafeRawBufferPointer,
        _ urgency: EventMetadata.Urgency
    ) throws(SignetError) -> UInt64? {
        try self.state.withLock { state throws(SignetError) in
            state.version += 1
            guard !state.machine.isUnsaved else { return nil }
            return try self.writer.append(kind, json, urgency, &state.machine, &state.frames)
        }
    }

    var needsFold: Bool {
        self.state.withLock { $0.frames.areUnfolded && $0.machine.sessions.current != nil }
    }
}

/// The store that the runtimes of this module's tests use: `SIGNET_STORE=contended` chooses the one above.
private let isContended = ProcessInfo.processInfo.environment["SIGNET_STORE"] == "contended"

// These hide the initializers of the module SignetTesting.
extension EmulatedSignet {
    init(
        in directory: String,
        emulator: EmulatorConfiguration = EmulatorConfiguration(),
        clock: ManualClock = ManualClock(),
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws(SignetError) {
        let platform = Emulator(emulator, clock: clock, wallClock: { clock.date })
        try self.init(
            in: directory,
            platform: platform,
            clock: clock,
            services: services,
            observer: observer,
            configure: configure
        )
    }

    init(
        in directory: String,
        platform: Emulator,
        clock: ManualClock,
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws(SignetError) {
        try self.init(
            in: directory,
            platform: platform,
            clock: clock,
            services: services,
            observer: observer,
            configure: configure
        ) { machine, writer -> any InstallationStore in
            guard isContended else { return LocalInstallationStore(machine, writer: writer) }
            return ContendedStore(machine, writer: writer)
        }
    }

    /// A runtime with another kind of store for the machines of installations.
    init(
        in directory: String,
        platform: Emulator,
        clock: ManualClock,
        services: [any SignetService] = [],
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in },
        makeStore: @escaping InstallationStoreFactory
    ) throws(SignetError) {
        var configuration = SignetConfiguration.vendorTimes(
            apiKey: platform.configuration.apiKey,
            secret: platform.configuration.secret,
            directory: directory
        )
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.jitter = { 0 }
        configure(&configuration)
        let transport = RecordingTransport(platform)
        let runtime = try SignetRuntime(configuration, services, transport, observer, makeStore: makeStore)
        self.init(platform, clock, transport, runtime)
    }
}
