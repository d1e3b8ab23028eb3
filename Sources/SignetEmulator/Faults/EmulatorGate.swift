// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// A gate that holds requests until a test releases them, and notifies the test when one arrives.
///
/// ```swift
/// let gate = EmulatorGate()
/// emulator.faults.inject(.held(gate), on: .login)
/// async let login = installation.login([.customerID: "c-17"])
/// await gate.arrived()
/// // The login is in flight now, for as long as the test likes.
/// gate.open()
/// _ = try await login
/// ```
public final class EmulatorGate: Sendable {
    private struct State: Sendable {
        var unreported = 0
        /// Nil once the gate is open.
        var held: WaitingRoom? = WaitingRoom()
        var watchers = WaitingRoom()
    }

    private let state = Locked(State())

    /// Makes a closed gate.
    public init() {}

    /// Waits until a request arrives at the gate; each request ends one wait, which may begin before or after its arrival.
    ///
    /// It returns early when its task is cancelled.
    public func arrived() async {
        let ticket = self.state.withLock { $0.watchers.ticket() }
        _ = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReported = self.state.withLock { state -> Bool? in
                    guard state.unreported > 0 else {
                        return state.watchers.enter(continuation, with: ticket) ? nil : false
                    }
                    state.unreported -= 1
                    return true
                }
                if let isReported {
                    continuation.resume(returning: isReported)
                }
            }
        } onCancel: {
            self.state.withLock { $0.watchers.leave(ticket) }?.resume(returning: false)
        }
    }

    /// Releases all held requests, and lets later ones pass.
    public func open() {
        let held = self.state.withLock { state in
            defer { state.held = nil }
            return state.held?.leaveAll() ?? []
        }
        for continuation in held {
            continuation.resume(returning: true)
        }
    }

    /// Releases only the request that has been held longest.
    ///
    /// - Returns: True if a request was held.
    @discardableResult
    public func releaseOne() -> Bool {
        let first = self.state.withLock { $0.held?.leaveFirst() }
        first?.resume(returning: true)
        return first != nil
    }

    /// The number of requests held now.
    public var heldCount: Int {
        self.state.withLock { $0.held?.count ?? 0 }
    }

    /// Waits until the gate is open.
    ///
    /// - Returns: False if the task was cancelled first.
    package func pass() async -> Bool {
        let ticket = self.state.withLock { $0.held?.ticket() ?? 0 }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (watcher, passes) = self.state.withLock { state -> (WaitingRoom.Guest?, Bool?) in
                    if state.held?.enter(continuation, with: ticket) == false {
                        return (nil, false)
                    }
                    let watcher = state.watchers.leaveFirst()
                    if watcher == nil {
                        state.unreported += 1
                    }
                    return (watcher, state.held == nil ? true : nil)
                }
                watcher?.resume(returning: true)
                if let passes {
                    continuation.resume(returning: passes)
                }
            }
        } onCancel: {
            self.state.withLock { $0.held?.leave(ticket) }?.resume(returning: false)
        }
    }
}

/// Suspended tasks in order of arrival.
///
/// A task that is cancelled before it enters does not wait.
struct WaitingRoom: Sendable {
    typealias Guest = CheckedContinuation<Bool, Never>

    private var guests: [(ticket: Int, guest: Guest)] = []
    private var calledAway: Set<Int> = []
    private var tickets = 0

    var count: Int {
        self.guests.count
    }

    mutating func ticket() -> Int {
        self.tickets += 1
        return self.tickets
    }

    /// Returns false when the ticket was called away before; the caller then resumes the guest.
    mutating func enter(_ guest: Guest, with ticket: Int) -> Bool {
        guard self.calledAway.remove(ticket) == nil else { return false }
        self.guests.append((ticket, guest))
        return true
    }

    /// Calls a guest away and returns it; nil when it has not entered yet or has left already.
    mutating func leave(_ ticket: Int) -> Guest? {
        guard let index = self.guests.firstIndex(where: { $0.ticket == ticket }) else {
            self.calledAway.insert(ticket)
            return nil
        }
        return self.guests.remove(at: index).guest
    }

    mutating func leaveFirst() -> Guest? {
        self.guests.isEmpty ? nil : self.guests.removeFirst().guest
    }

    mutating func leaveAll() -> [Guest] {
        defer { self.guests.removeAll() }
        return self.guests.map(\.guest)
    }
}
