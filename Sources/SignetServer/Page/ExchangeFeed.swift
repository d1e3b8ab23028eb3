// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetLock
import SignetTransport

/// Sends each exchange to the open pages.
final class ExchangeFeed: Sendable {
    /// The maximum number of subscribed pages; further ones are refused.
    static let subscriberLimit = 64
    // A page that does not keep up sees a gap in the numbers, and requests the missing exchanges.
    private static let bufferLimit = 256

    /// The update for a page: the number, and the summary as JSON.
    struct Updates: Sendable {
        let number: Int
        let summary: [UInt8]
    }

    private struct State {
        var log: ExchangeLog
        /// Nil after the end.
        var subscribers: [Int: AsyncStream<Updates>.Continuation]? = [:]
        var subscriptions = 0
    }

    private let state: Locked<State>

    init(_ log: ExchangeLog) {
        self.state = Locked(State(log: log))
    }

    /// The last exchanges, oldest first.
    var log: ExchangeLog {
        self.state.withLock { $0.log }
    }

    var subscriberCount: Int {
        self.state.withLock { $0.subscribers?.count ?? 0 }
    }

    /// Adds an exchange, and sends it to the open pages.
    ///
    /// The log has one refusal of each foreign page at a time: such a page could use up the log otherwise.
    func add(_ exchange: Exchange) {
        let added = self.state.withLock { state -> (Exchange, [AsyncStream<Updates>.Continuation])? in
            if let page = exchange.refusedPage, state.log.holdsRefusal(ofPage: page) { return nil }
            return (state.log.append(exchange), state.subscribers.map { Array($0.values) } ?? [])
        }
        guard let (exchange, subscribers) = added, !subscribers.isEmpty else { return }
        // Encoded once for all pages, without bodies: updates for a page that does not read stay in memory.
        var json = JSONWriter()
        exchange.writeSummary(to: &json)
        let updates = Updates(number: exchange.number, summary: json.bytes)
        for subscriber in subscribers {
            subscriber.yield(updates)
        }
    }

    /// Subscribes to later updates until ``finish(_:)`` or until the stream is released; nil at the subscriber limit.
    func subscribe() -> (number: Int, updates: AsyncStream<Updates>)? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Updates.self,
            bufferingPolicy: .bufferingNewest(Self.bufferLimit)
        )
        let number = self.state.withLock { state -> Int? in
            guard let count = state.subscribers?.count, count < Self.subscriberLimit else { return nil }
            state.subscriptions += 1
            state.subscribers?[state.subscriptions] = continuation
            return state.subscriptions
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in self?.finish(number) }
        return (number, stream)
    }

    /// Ends a subscription.
    func finish(_ number: Int) {
        self.state.withLock { $0.subscribers?.removeValue(forKey: number) }?.finish()
    }

    /// Ends all subscriptions permanently.
    func finish() {
        let subscribers = self.state.withLock { state in
            defer { state.subscribers = nil }
            return state.subscribers.map { Array($0.values) } ?? []
        }
        for subscriber in subscribers {
            subscriber.finish()
        }
    }
}
#endif
