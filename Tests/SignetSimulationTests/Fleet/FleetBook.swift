// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

@testable import Signet

/// The memory of a simulated fleet: what was logged and promised, who is at the platform, and what must not be.
final class FleetBook: Sendable {
    struct Logged: Sendable {
        let installation: Int
        /// False if `log` threw.
        var isAccepted = false
        /// True if the process died meanwhile: the event may arrive.
        var isUnknown = false
        /// True if the installation had opted out before, for all replicas.
        let isOptedOut: Bool
        /// The user whom the handle showed; nil if there was none, or if a later reading of the row says whose the event is.
        let user: MPID?
        /// The number of changes of the user that were known.
        let changes: Int
        /// The time of the event, in milliseconds since 1970.
        let milliseconds: Int64
    }

    /// A change of the current user, as a row remembers it.
    struct UserChange: Sendable, Hashable {
        let milliseconds: Int64
        let mpid: MPID
    }

    /// The erasure of a user that all live replicas had acknowledged.
    struct Erased: Sendable {
        let mpid: MPID
        /// The database's time at which the app called for it, in milliseconds since 1970.
        let milliseconds: Int64
        /// The events that had arrived by then.
        let arrived: Set<String>
    }

    struct State {
        var events: [Logged] = []
        var erased: [Erased] = []
        /// The users for whom an erasure has begun, whatever became of it.
        var erasing: Set<MPID> = []
        /// The installations that they were erased on.
        var erasedOn: Set<Int> = []
        /// The changes of the user that were in the rows, oldest first; an erasure takes its user's out.
        var changes: [Int: [UserChange]] = [:]
        /// What calls have returned for.
        var facts: [Int: FleetFacts] = [:]
        /// The installations by the stamps of their rows.
        var stamps: [String: Int] = [:]
        /// The number of the event up to which opting out may have dropped what was logged.
        var optedOutUpTo: [Int: Int] = [:]
        /// The calls that an `open` needs and that failed, by replica.
        var failedReadings: [Int: Int] = [:]
        /// The requests with events that are at the platform.
        var uploads = 0
        var dropped = 0
        /// The replicas with an identity request at the platform, by stamp.
        var inFlight: [String: [(replica: Int, began: Duration)]] = [:]
        /// Identity calls that have not ended, by installation.
        var calls: [Int: Int] = [:]
        var increments: [Int: Int] = [:]
        /// Increments whose answer was lost.
        var doubtful: [Int: Int] = [:]
        var optedOut: Set<Int> = []
        /// Sessions whose end was in an outbox when time leapt: another replica takes it over after a minute, and logs it again.
        var mayEndTwice: Set<UUID> = []
        /// A failover has lost writes: slots and ends of sessions among them.
        var hasLostWrites = false
        var violations: [String] = []
        var reached: [String: Int] = [:]
        var story: [String] = []
    }

    private let state = Locked(State())

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        self.state.withLock { body(&$0) }
    }

    func reach(_ what: String, _ count: Int = 1) {
        self.state.withLock { $0.reached[what, default: 0] += count }
    }

    func fail(_ text: String) {
        self.state.withLock { state in
            state.violations.append(text)
            state.story.append("VIOLATION: \(text)")
        }
    }

    /// The time after which a request is over, even if its process stands still and has not noticed.
    private static let requestLimit = Duration.seconds(10)

    /// An identity request goes out.
    func begin(_ stamp: String, _ replica: Int, at now: Duration) {
        self.state.withLock { state in
            state.reached["identity requests", default: 0] += 1
            let others = state.inFlight[stamp, default: []].filter { now - $0.began < Self.requestLimit }
            if !others.isEmpty, !state.hasLostWrites {
                state.violations.append(
                    "replica \(replica) asks for \(stamp.prefix(8)) beside \(others.map(\.replica))"
                )
            }
            state.inFlight[stamp, default: []].append((replica, now))
        }
    }

    /// An identity request names the user of before: whom the last call has told, whichever replica made it.
    func check(_ user: String?, namedFor stamp: String) {
        self.state.withLock { state in
            guard let number = state.stamps[stamp], !state.hasLostWrites, let found = state.facts[number]?.user.found,
                !state.erasing.contains(found)
            else { return }
            state.reached["users named", default: 0] += 1
            guard user != found.description else { return }
            state.violations.append("a request of visitor \(number) names \(user ?? "nobody"), not \(found)")
        }
    }

    /// An identity request has ended.
    func end(_ stamp: String, _ replica: Int) {
        self.state.withLock { state in
            guard let index = state.inFlight[stamp]?.firstIndex(where: { $0.replica == replica }) else { return }
            state.inFlight[stamp]?.remove(at: index)
        }
    }

    /// A process has died, and its connections with it.
    func died(_ replica: Int) {
        self.state.withLock { state in
            for stamp in state.inFlight.keys { state.inFlight[stamp]?.removeAll { $0.replica == replica } }
        }
    }
}

/// Counts what one process says.
final class FleetObserver: SignetObserver {
    private let book: FleetBook

    init(_ book: FleetBook) {
        self.book = book
    }

    func eventsDropped(_ count: Int, cause: DropCause) {
        self.book.with { state in
            state.dropped += count
            state.story.append("dropped \(count): \(cause)")
            state.reached["dropped \(cause)", default: 0] += count
        }
    }

    func batchDeadLettered(events: Int, error: SignetError) {
        self.book.fail("a dead letter: \(error.message)")
    }
}
