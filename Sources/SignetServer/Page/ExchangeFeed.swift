//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetLock
import SignetTransport

/// Tells the open pages of each exchange.
final class ExchangeFeed: Sendable {
    /// The most pages that are told; a further one is refused.
    static let subscriberLimit = 64
    // A page that does not keep up sees a gap in the numbers, and asks for what it missed.
    private static let bufferLimit = 256

    /// What a page is told: the number, and the line of the list as JSON.
    struct Updates: Sendable {
        let number: Int
        let summary: [UInt8]
    }

    private struct State {
        var log: ExchangeLog
        var subscribers: [Int: AsyncStream<Updates>.Continuation] = [:]
        var subscriptions = 0
        var isFinished = false
    }

    private let state: Locked<State>

    init(_ log: ExchangeLog) {
        self.state = Locked(State(log: log))
    }

    /// The last exchanges, the oldest first.
    var log: ExchangeLog {
        self.state.withLock { $0.log }
    }

    /// How many listen.
    var subscriberCount: Int {
        self.state.withLock { $0.subscribers.count }
    }

    func add(_ exchange: Exchange) {
        let (exchange, subscribers) = self.state.withLock { state in
            (state.log.append(exchange), Array(state.subscribers.values))
        }
        guard !subscribers.isEmpty else { return }
        // Once for all, and without the bodies: a page that does not read holds what waits for it.
        var json = JSONWriter()
        exchange.writeSummary(to: &json)
        let updates = Updates(number: exchange.number, summary: json.bytes)
        for subscriber in subscribers {
            subscriber.yield(updates)
        }
    }

    /// What comes from now on, until ``finish(_:)`` or until nobody holds the stream; nil when too many listen already.
    func subscribe() -> (number: Int, updates: AsyncStream<Updates>)? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Updates.self,
            bufferingPolicy: .bufferingNewest(Self.bufferLimit)
        )
        let number = self.state.withLock { state -> Int? in
            guard state.subscribers.count < Self.subscriberLimit, !state.isFinished else { return nil }
            state.subscriptions += 1
            state.subscribers[state.subscriptions] = continuation
            return state.subscriptions
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in self?.finish(number) }
        return (number, stream)
    }

    /// Ends a subscription.
    func finish(_ number: Int) {
        self.state.withLock { $0.subscribers.removeValue(forKey: number) }?.finish()
    }

    /// Ends all subscriptions, for good.
    func finish() {
        let subscribers = self.state.withLock { state in
            state.isFinished = true
            defer { state.subscribers.removeAll() }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers {
            subscriber.finish()
        }
    }
}
#endif
