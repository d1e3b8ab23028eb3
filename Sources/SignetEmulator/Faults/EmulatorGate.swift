//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Holds requests until a test lets them go, and tells the test when one is there.
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
        var isOpen = false
        var unreported = 0
        var held = WaitingRoom()
        var watchers = WaitingRoom()
    }

    private let state = Locked(State())

    /// Makes a closed gate.
    public init() {}

    /// Waits until a request comes to the gate; each request is told of once, in whatever order the calls come.
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

    /// Lets go all requests that are held, and those that come later too.
    public func open() {
        let held = self.state.withLock { state in
            state.isOpen = true
            return state.held.leaveAll()
        }
        for continuation in held {
            continuation.resume(returning: true)
        }
    }

    /// Lets go the request that has been held longest, and no other.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func releaseOne() -> Bool {
        let first = self.state.withLock { $0.held.leaveFirst() }
        first?.resume(returning: true)
        return first != nil
    }

    /// How many requests are held now.
    public var heldCount: Int {
        self.state.withLock { $0.held.count }
    }

    /// Waits until the gate is open.
    ///
    /// - Returns: False when the task was cancelled first.
    func pass() async -> Bool {
        let ticket = self.state.withLock { $0.held.ticket() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (watcher, passes) = self.state.withLock { state -> (WaitingRoom.Guest?, Bool?) in
                    if !state.isOpen, !state.held.enter(continuation, with: ticket) {
                        return (nil, false)
                    }
                    let watcher = state.watchers.leaveFirst()
                    if watcher == nil {
                        state.unreported += 1
                    }
                    return (watcher, state.isOpen ? true : nil)
                }
                watcher?.resume(returning: true)
                if let passes {
                    continuation.resume(returning: passes)
                }
            }
        } onCancel: {
            self.state.withLock { $0.held.leave(ticket) }?.resume(returning: false)
        }
    }
}
