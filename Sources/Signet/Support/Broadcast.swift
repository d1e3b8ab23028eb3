//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// Carries updates to any number of subscribers: of one installation, or of all.
///
/// Every subscriber gets every element that was sent after it subscribed, in the order of sending. A slow one loses
/// its own oldest elements and delays nobody.
final class Broadcast<Element: Sendable>: Sendable {
    private struct Listener {
        // Weak, so that a subscription ends when its last holder lets go.
        weak var subscription: Subscription<Element>?
    }

    private struct State {
        var everybody: [Int: Listener] = [:]
        var byInstallation: [InstallationID: [Int: Listener]] = [:]
        var nextID = 0
        var isFinished = false
        var sentCount = 0
    }

    private let state = Locked(State())

    /// Subscribes from now on.
    ///
    /// - Parameter installation: Whose updates; nil for everybody's.
    /// - Returns: The subscription; it ends when nobody holds it.
    func subscribe(to installation: InstallationID?) -> Subscription<Element> {
        let id = self.state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        let subscription = Subscription<Element> { [weak self] in self?.remove(id, of: installation) }
        let isFinished = self.state.withLock { state in
            if !state.isFinished {
                if let installation {
                    state.byInstallation[installation, default: [:]][id] = Listener(subscription: subscription)
                } else {
                    state.everybody[id] = Listener(subscription: subscription)
                }
            }
            return state.isFinished
        }
        if isFinished { subscription.finish() }
        return subscription
    }

    /// Buffers an element for all who listen; may be called under the lock that orders the elements.
    ///
    /// - Parameters:
    ///   - element: The updates.
    ///   - installation: Whose updates.
    /// - Returns: The readers to resume once no lock is held.
    func stage(_ element: Element, of installation: InstallationID) -> [Resumption] {
        // The subscriptions are taken out of the lock before the last reference to one can go: its deinit locks too.
        let listeners = self.state.withLock { state -> [Subscription<Element>] in
            guard !state.isFinished else { return [] }
            state.sentCount += 1
            guard !state.everybody.isEmpty || !state.byInstallation.isEmpty else { return [] }
            let own = state.byInstallation[installation] ?? [:]
            return state.everybody.values.compactMap(\.subscription) + own.values.compactMap(\.subscription)
        }
        return listeners.compactMap { $0.stage(element) }
    }

    /// Tells everybody who listens.
    ///
    /// Order among concurrent senders is the caller's matter.
    ///
    /// - Parameters:
    ///   - element: The updates.
    ///   - installation: Whose updates.
    func send(_ element: Element, of installation: InstallationID) {
        for resumption in self.stage(element, of: installation) { resumption.resume() }
    }

    /// How many elements were sent, whether somebody listened or not.
    var sentCount: Int {
        self.state.withLock { $0.sentCount }
    }

    /// How many subscriptions there are.
    var listenerCount: Int {
        self.state.withLock { state in
            state.byInstallation.values.reduce(state.everybody.count) { $0 + $1.count }
        }
    }

    /// Ends every subscription after what is buffered; later ones end at once.
    func finish() {
        let listeners = self.state.withLock { state in
            state.isFinished = true
            let all = Array(state.everybody.values) + state.byInstallation.values.flatMap(\.values)
            return all.compactMap(\.subscription)
        }
        for listener in listeners { listener.finish() }
    }

    private func remove(_ id: Int, of installation: InstallationID?) {
        self.state.withLock { state in
            guard let installation else { return state.everybody[id] = nil }
            state.byInstallation[installation]?[id] = nil
            if state.byInstallation[installation]?.isEmpty == true { state.byInstallation[installation] = nil }
        }
    }
}
