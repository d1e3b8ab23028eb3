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

    private struct Listeners {
        var everybody: [Int: Listener] = [:]
        var byInstallation: [InstallationID: [Int: Listener]] = [:]
    }

    private struct State {
        /// The subscriptions; nil once all have ended.
        var listeners: Listeners? = Listeners()
        var nextID = 0
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
            if let installation {
                state.listeners?.byInstallation[installation, default: [:]][id] = Listener(subscription: subscription)
            } else {
                state.listeners?.everybody[id] = Listener(subscription: subscription)
            }
            return state.listeners == nil
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
            guard let listeners = state.listeners else { return [] }
            state.sentCount += 1
            guard !listeners.everybody.isEmpty || !listeners.byInstallation.isEmpty else { return [] }
            let own = listeners.byInstallation[installation] ?? [:]
            return listeners.everybody.values.compactMap(\.subscription) + own.values.compactMap(\.subscription)
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

    /// The number of subscriptions that have not ended.
    package var listenerCount: Int {
        self.state.withLock { state in
            state.listeners.map { $0.byInstallation.values.reduce($0.everybody.count) { $0 + $1.count } } ?? 0
        }
    }

    /// Ends every subscription after its buffered elements; later subscriptions end at once.
    package func finish() {
        let listeners = self.state.withLock { state in
            let listeners = state.listeners.take() ?? Listeners()
            let all = Array(listeners.everybody.values) + listeners.byInstallation.values.flatMap(\.values)
            return all.compactMap(\.subscription)
        }
        for listener in listeners { listener.finish() }
    }

    private func remove(_ id: Int, of installation: InstallationID?) {
        self.state.withLock { state in
            guard let installation else {
                state.listeners?.everybody[id] = nil
                return
            }
            state.listeners?.byInstallation[installation]?[id] = nil
            guard state.listeners?.byInstallation[installation]?.isEmpty == true else { return }
            state.listeners?.byInstallation[installation] = nil
        }
    }
}
