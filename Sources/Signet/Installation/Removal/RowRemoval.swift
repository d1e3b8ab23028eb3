// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// Decides the order of the steps that remove the row of an installation that several processes share.
///
/// Other replicas go on until the row is gone, and no lock keeps them out. So each try begins with a reading, and its last step fails if
/// the row has changed since. Between two tries there is a pause.
struct RowRemoval: Sendable {
    /// The facts of an installation, as its replica knows them after a step.
    struct Facts: Sendable, Hashable {
        /// The object behind the handles.
        enum Handle: Sendable, Hashable {
            case open
            case closed
            /// The row that it had was removed.
            case gone
        }

        /// A row.
        struct Row: Sendable, Hashable {
            /// The open session; nil for none.
            var session: UUID?
            /// The entries of its outbox.
            var outbox = SharedOutbox()
        }

        /// The events of this replica since its last flush.
        enum Activity: Sendable, Hashable {
            /// The store knows of all.
            case told
            /// The next flush may begin a session.
            case untold
        }

        var handle = Handle.open
        /// The row; nil if none was made, or if it is gone.
        var row: Row?
        var activity = Activity.told
    }

    /// The answer to a step, or the call.
    enum Event: Sendable, Hashable {
        /// The removal was asked for.
        case asked(Facts.Handle)
        case rowRead(Facts)
        case sessionEnded(Facts)
        case outboxLogged(Facts)
        /// Events of this replica have no answer yet.
        case eventsWait
        case noEventsWait
        case eventsDelivered
        case rowRemoved
        /// The row is not as it was read.
        case rowChanged
        case pauseEnded
        /// A part has failed, and another replica has removed the row.
        case foundGone
    }

    /// The runtime at the moment of an event.
    struct Moment: Sendable, Hashable {
        var stage = LifecycleStateMachine.Stage.running
        /// The time until the deadline.
        var left: Duration
    }

    /// The next step.
    enum Step: Sendable, Hashable {
        /// Do a part of a try.
        case attempt(Part)
        /// Wait before the next try.
        case pause(Duration)
        /// The row is gone: let the object go.
        case leave
        case fail(Failure)
    }

    /// A part of a try, in the order of a try; one that fails may find that the row is gone.
    enum Part: Sendable, Hashable {
        case readRow
        /// End the session for all replicas.
        case endSession
        /// Log what dead replicas have decided, and remove from the row what is logged.
        case logOutbox
        /// Find out if events of this replica wait for an answer.
        case findEvents
        case deliverEvents
        /// Remove the row if it is as it was read.
        case removeRow
    }

    /// The reason for which the installation stays.
    enum Failure: Sendable, Hashable {
        case closed
        case notRunning
        case timedOut
    }

    /// The pause between two tries: after the first ones, and later.
    private static let pauses = (first: Duration.milliseconds(100), later: Duration.seconds(1))
    /// The number of the try after which the pauses are long.
    private static let patience = 10

    /// The number of tries that have failed.
    private var tries = 0

    /// Returns the step that follows an event.
    mutating func next(_ event: Event, at moment: Moment) -> Step {
        switch event {
        case .asked(let handle):
            guard moment.acceptsCalls else { return .fail(.notRunning) }
            return handle == .open ? .attempt(.readRow) : .fail(.closed)
        case .pauseEnded: return .attempt(.readRow)
        case .rowRead(let facts): return self.afterReading(facts, at: moment)
        case .sessionEnded(let facts): return self.afterSession(facts, at: moment)
        case .outboxLogged(let facts): return self.afterOutbox(facts, at: moment)
        case .noEventsWait: return .attempt(.removeRow)
        case .eventsWait: return .attempt(.deliverEvents)
        // The next try shows the changes since.
        case .eventsDelivered, .rowChanged: return self.pause(at: moment)
        case .rowRemoved, .foundGone: return .leave
        }
    }

    private mutating func afterReading(_ facts: Facts, at moment: Moment) -> Step {
        switch facts.handle {
        // Another replica was first.
        case .gone: return .leave
        case .closed: return .fail(.closed)
        case .open: break
        }
        // Without `run()` there is no flush to wait for.
        if facts.activity == .untold, moment.stage == .running { return self.pause(at: moment) }
        return facts.row?.session == nil ? self.afterSession(facts, at: moment) : .attempt(.endSession)
    }

    private mutating func afterSession(_ facts: Facts, at moment: Moment) -> Step {
        facts.row == nil ? self.afterOutbox(facts, at: moment) : .attempt(.logOutbox)
    }

    private mutating func afterOutbox(_ facts: Facts, at moment: Moment) -> Step {
        let row = facts.row ?? Facts.Row()
        // Another replica has begun a session, or an entry is not logged yet.
        return row.session == nil && row.outbox.isEmpty ? .attempt(.findEvents) : self.pause(at: moment)
    }

    private mutating func pause(at moment: Moment) -> Step {
        guard moment.acceptsCalls else { return .fail(.notRunning) }
        guard moment.left > .zero else { return .fail(.timedOut) }
        self.tries += 1
        return .pause(min(self.tries < Self.patience ? Self.pauses.first : Self.pauses.later, moment.left))
    }
}

extension RowRemoval.Moment {
    /// False once a shutdown has begun.
    fileprivate var acceptsCalls: Bool {
        switch self.stage {
        case .idle, .running: true
        case .stopping, .ended: false
        }
    }
}
