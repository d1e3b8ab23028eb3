// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Carries updates of one installation, or of all, to any number of subscribers.
///
/// Every subscriber gets every element sent after its subscription, in the order of sending. A slow subscriber loses
/// its own oldest elements and delays no other.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct Listener {
        // Weak, so that a subscription ends when its last holder releases it.
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

    package init() {}

    /// Subscribes from now on.
    ///
    /// - Parameter installation: The installation to observe; nil for all.
    /// - Returns: The subscription; it ends when its last holder releases it.
    package func subscribe(to installation: InstallationID?) -> Subscription<Element> {
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

    /// Buffers an element for all subscribers; may be called under the lock that orders the elements.
    ///
    /// - Parameters:
    ///   - element: The update.
    ///   - installation: The updated installation.
    /// - Returns: The readers to resume once no lock is held.
    package func stage(_ element: Element, of installation: InstallationID) -> [Resumption] {
        // The subscriptions leave the lock before the last reference to one can go: its deinit locks too.
        let listeners = self.state.withLock { state -> [Subscription<Element>] in
            guard !state.isFinished else { return [] }
            state.sentCount += 1
            guard !state.everybody.isEmpty || !state.byInstallation.isEmpty else { return [] }
            let own = state.byInstallation[installation] ?? [:]
            return state.everybody.values.compactMap(\.subscription) + own.values.compactMap(\.subscription)
        }
        return listeners.compactMap { $0.stage(element) }
    }

    /// Sends an element to all subscribers.
    ///
    /// The caller orders concurrent sends.
    ///
    /// - Parameters:
    ///   - element: The update.
    ///   - installation: The updated installation.
    package func send(_ element: Element, of installation: InstallationID) {
        for resumption in self.stage(element, of: installation) { resumption.resume() }
    }

    /// The number of elements sent, with or without subscribers.
    package var sentCount: Int {
        self.state.withLock { $0.sentCount }
    }

    /// The number of subscriptions.
    package var listenerCount: Int {
        self.state.withLock { state in
            state.byInstallation.values.reduce(state.everybody.count) { $0 + $1.count }
        }
    }

    /// Ends every subscription after its buffered elements; later subscriptions end at once.
    package func finish() {
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
