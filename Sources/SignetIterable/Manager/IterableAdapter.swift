// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// Keeps the records of one installation's visitor, and sends them to Iterable as its machine decides.
typealias IterableManager = LinkedServiceDriver<IterableAdapter>

/// The part of a visitor's driver that knows Iterable.
struct IterableAdapter: LinkedAdapter {
    typealias Machine = IterableStateMachine

    /// The state that is read without waiting for the driver.
    struct Snapshot: Sendable {
        let state: IterableVisitor.State
        let consentedAt: Int64?
    }

    /// The state that is lost with the process.
    struct State {
        var matching = Matching()
        var refused: Refused = []
        var deferred = DeferredEffects()
        /// The change of the user that is being sent to Iterable, and the installation that receives the outcome.
        var watch: (record: OutboxEntry, id: IterableUserID, home: any LinkedHome)?
        /// True if the cache knows that the visitor waits for the first criteria.
        var awaitsCriteria = false
        /// The user who is about to become known, and already has a token.
        var incoming: IterableUserID?
        /// Ends the wait for an answer of the app, which is about a user.
        var endWait: (@Sendable () -> Void)?
    }

    /// The writes that the disk has refused.
    struct Refused: OptionSet {
        let rawValue: UInt8

        /// The memory, which is written with the next change.
        static let memory = Refused(rawValue: 1)
        /// The consequences of an opt-out; nothing is sent until the disk accepts them.
        static let optOut = Refused(rawValue: 2)
    }

    /// The criteria of the project, and the visitor's records as matched against them.
    struct Matching {
        enum Source {
            case unknown
            /// As the cache has them; nil if there are none.
            case known(Criteria?)
        }

        var source = Source.unknown
        var evaluator: CriteriaEvaluator?
        /// The path of the last reported condition that takes too much work.
        var undecided: String?

        var criteria: Criteria? {
            if case .known(let criteria) = self.source { criteria } else { nil }
        }

        /// True if the project has no criteria yet, as far as the cache knows.
        var isWithoutCriteria: Bool {
            if case .known(nil) = self.source { true } else { false }
        }
    }

    /// The work in other actors that follows from decisions.
    struct DeferredEffects {
        var forgetsToken = false
        var criteria: CriteriaOccasion?
        var tries: TokenTries?

        /// The tries to get a token.
        enum TokenTries {
            case pause
            case resume
        }
    }

    /// The events that arrive without waiting for the driver.
    struct Arrivals {
        /// True while a launch is still to be counted, before any later event.
        var isLaunchDue = false
        /// Logged events that are the visitor's too.
        ///
        /// A kill before their takeover costs the copy, never the event.
        var records = Deque<MirroredRecord>()
    }

    static let service = IdentitySyncOutcome.Service.iterable

    let installation: InstallationID
    let services: IterableServices
    let store: IterableStore
    let requests: IterableRequests
    let tokens: IterableTokenManager
    let arrivals = Locked(Arrivals())

    var context: LinkedServiceContext { self.services.context }
    var followsLogin: Bool { self.services.followsLogin }

    static func snapshot(of machine: IterableStateMachine) -> Snapshot {
        Snapshot(state: machine.state, consentedAt: machine.memory.consentedAt)
    }

    /// Restores the stored state of a visitor.
    ///
    /// - Throws: Errors of the disk; `newerFormat` for a record that only a newer version can read.
    func makeManager() throws(SignetError) -> IterableManager {
        let (memory, records) = try self.store.load { self.context.reportDamage($0) }
        let configuration = self.services.configuration
        let machine = IterableStateMachine(
            restoring: memory,
            records: records,
            isEnabled: configuration.isEnabled,
            threshold: configuration.eventThreshold,
            queueLimit: configuration.queueLimit
        )
        // Left by a kill between the write of the memory, which excludes them, and their removal.
        for record in records where !memory.owns(record.ordinal) { try self.store.remove(record.ordinal) }
        return IterableManager(self.installation, machine, State(), self)
    }
}

extension IterableStateMachine: LinkedMachine {
    var followed: UUID? { self.memory.followed }
    var synced: SyncedUser? { self.memory.synced }

    func hasWork(now: Duration, milliseconds: Int64) -> Bool { self.hasWork }

    mutating func next(now: Duration, milliseconds: Int64) -> LinkedStep<Operation> { self.next(now: now) }

    mutating func finish(
        _ number: Int,
        _ answer: Answer,
        now: Duration,
        milliseconds: Int64,
        jitter: Double
    ) -> [Action] {
        self.finish(number, answer, now: now, jitter: jitter, at: milliseconds)
    }

    mutating func interrupt() {
        self.interrupt { _ in true }
    }

    var obstacle: LinkedObstacle? {
        self.backOff.failures > 0 ? self.lastObstacle : self.tokenless.obstacle
    }

    var mayBeGivenUp: Bool { !self.owesWork }
}
