// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetLock

import struct FoundationEssentials.UUID

/// The calls on their way from tasks to the thread of the connections.
final class CallInbox: Sendable {
    /// The work of a call.
    enum Wish: Sendable {
        case read([UUID])
        case commit([SharedCommit])
        case slot(SlotWish)
        case statement(PostgresStatement)

        var keys: [UUID] { if case .read(let keys) = self { keys } else { [] } }
        var commits: [SharedCommit] { if case .commit(let commits) = self { commits } else { [] } }
        var slot: SlotWish? { if case .slot(let slot) = self { slot } else { nil } }

        /// The time that the server may need.
        var kind: ConnectionPoolMachine.Kind {
            switch self {
            case .read: .quick
            case .commit, .slot: .commit
            case .statement(let statement): statement.waitsForStandbys ? .commit : .quick
            }
        }

        /// Its part of a statement that several calls share; nil if it goes alone.
        var share: ConnectionPoolMachine.Share? {
            switch self {
            case .read(let keys): .init(kind: .read, keys: keys, bytes: 0)
            case .commit(let commits):
                .init(kind: .commit, keys: commits.map(\.key), bytes: commits.map(\.bytes).reduce(0, +))
            case .slot(let wish): .init(kind: .slot, keys: [wish.slot.key], bytes: 0)
            case .statement: nil
            }
        }
    }

    /// The wish for a slot.
    struct SlotWish: Sendable {
        let slot: SharedSlotRequest
        let milliseconds: Int64
        let condition: Condition

        /// The condition under which the token gets the slot; the values are those of the statement.
        enum Condition: Int16, Sendable {
            /// The token has the slot, or the slot is free.
            case ownOrFree = 0
            /// The token has the slot.
            case own = 1
        }
    }

    /// The failure of a call.
    enum Failure: Error, Sendable {
        /// The statement failed. `closed`: the connection broke before the answer was complete. `joined`: it was that of several calls.
        case failed(PostgresFailure, closed: Bool, joined: Bool)
        /// The machine has given the call up; with the last failure of an attempt to connect since a connection was there.
        case refused(ConnectionPoolMachine.Refusal, PostgresFailure?)
    }

    /// A call whose task waits.
    struct Call: Sendable {
        let number: UInt64
        let wish: Wish
        /// Its part of a statement that several calls share; nil if it goes alone.
        let share: ConnectionPoolMachine.Share?
        let deadline: Duration
        let continuation: CheckedContinuation<Result<PostgresResult, Failure>, Never>

        var asked: ConnectionPoolMachine.Call {
            ConnectionPoolMachine.Call(
                number: self.number,
                deadline: self.deadline,
                share: self.share,
                kind: self.wish.kind
            )
        }

        func resume(_ result: Result<PostgresResult, Failure>) {
            self.continuation.resume(returning: result)
        }
    }

    enum Command: Sendable {
        case add(Call)
        case cancel(UInt64)
        /// The look-up of an address has ended.
        case found(address: Int, Result<[String], HostLookUp.Failure>)
    }

    private enum Phase {
        case open
        case closing([CheckedContinuation<Void, Never>])
        case ended
    }

    private struct State {
        var phase = Phase.open
        var commands: [Command] = []
        var lastNumber: UInt64 = 0
    }

    /// Wakes the thread.
    let signal: WakeSignal
    private let state = Locked(State())

    init() throws(SharedStoreError) {
        self.signal = try WakeSignal()
    }

    /// A number for a call.
    func number() -> UInt64 {
        self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Hands a command to the thread; a call of a store that is closed fails at once.
    func add(_ command: Command) {
        let isOpen = self.state.withLock { state in
            if case .open = state.phase {
                // The thread takes all commands at once, so one signal is enough.
                if state.commands.isEmpty { self.signal.raise() }
                state.commands.append(command)
                return true
            }
            return false
        }
        guard !isOpen, case .add(let call) = command else { return }
        call.resume(.failure(.refused(.closed, nil)))
    }

    /// Takes all commands, on the thread.
    func take() -> ([Command], isClosed: Bool) {
        self.state.withLock { state in
            defer { state.commands = [] }
            if case .open = state.phase { return (state.commands, false) }
            return (state.commands, true)
        }
    }

    /// Ends the thread.
    ///
    /// - Parameter continuation: Resumed when it has closed all connections.
    func close(_ continuation: CheckedContinuation<Void, Never>? = nil) {
        let waits = self.state.withLock { state in
            switch state.phase {
            case .open: state.phase = .closing(continuation.map { [$0] } ?? [])
            case .closing(let others): state.phase = .closing(others + (continuation.map { [$0] } ?? []))
            case .ended: return false
            }
            self.signal.raise()
            return true
        }
        if !waits { continuation?.resume() }
    }

    /// The thread has ended.
    func ended() {
        let waiting = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            defer { state.phase = .ended }
            if case .closing(let waiting) = state.phase { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension CallInbox.Failure {
    /// The failure in the words of the seam.
    var error: SharedStoreError {
        switch self {
        case .failed(let failure, let closed, _):
            return failure.error(closed: closed)
        case .refused(let refusal, let last):
            switch refusal {
            case .busy: return SharedStoreError(.busy, "too many calls wait for the database")
            case .closed: return SharedStoreError(.unreachable, "the store was closed")
            case .notConnected:
                return last?.connectionError ?? SharedStoreError(.unreachable, "there is no connection yet")
            case .timedOutUnsent:
                let reason = last.map { "; the last attempt to connect failed: \($0.message)" } ?? ""
                return SharedStoreError(.unreachable, "no connection was free in time\(reason)")
            case .commitsWait:
                return SharedStoreError(
                    .unreachable,
                    "the server has not finished earlier commits: see if a synchronous standby is away (`synchronous_standby_names`)"
                )
            case .timedOut: return SharedStoreError(.outcomeUnknown, "the database did not answer in time")
            case .cancelled: return SharedStoreError(.cancelled, "the task was cancelled")
            }
        }
    }
}
#endif
