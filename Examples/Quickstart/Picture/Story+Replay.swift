// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTrace

import struct Foundation.Date

extension Story {
    /// The stories of all installations, in order of their names.
    ///
    /// The trace says what the apps did; the streams of the runtime say which sessions and users came of it.
    static func all(_ trace: Trace, _ outcome: ReplayOutcome) -> [Story] {
        let lines = Dictionary(grouping: trace.lines, by: \.installation)
        let sessions = Dictionary(grouping: outcome.sessions.beginnings, by: \.installation)
        let changes = Dictionary(grouping: outcome.users.changes, by: \.installation)
        let ends = Dictionary(outcome.sessions.list.map { ($0.session.uuid, $0) }) { $1 }
        return lines.keys.sorted { $0.rawValue < $1.rawValue }.map { id in
            let marks = (lines[id] ?? []).compactMap { line in
                Mark.Kind(line.action).map { Mark(at: trace.header.start + line.at, kind: $0) }
            }
            return Story(
                installation: id.rawValue,
                visits: (sessions[id] ?? []).map { Visit($0.session, ends[$0.session.uuid]) },
                marks: marks,
                flags: (changes[id] ?? []).map(Flag.init)
            )
        }
    }
}

extension Story.Visit {
    fileprivate init(_ session: Session, _ end: SessionTotals.Ended?) {
        let ending: End =
            switch end?.reason {
            case nil: .open
            case SessionChange.EndReason.launch.rawValue: .launch
            case SessionChange.EndReason.app.rawValue: .app
            default: .timeout
            }
        self.init(
            begin: session.startTime.wholeMilliseconds,
            end: (end?.summary.lastEventTime ?? session.startTime).wholeMilliseconds,
            ending: ending
        )
    }
}

extension Story.Mark.Kind {
    /// The kind to draw; nil for an action that has no mark.
    fileprivate init?(_ action: TraceLine.Action) {
        switch action {
        case .log(let event):
            switch event.content {
            case .screen: self = .screen
            case .commerce: self = .purchase
            default: self = .event
            }
        case .login: self = .login
        case .logout: self = .logout
        case .modify: self = .modify
        case .kill: self = .kill
        case .launch, .setAttribute, .enterBackground, .enterForeground, .quit: return nil
        }
    }
}

extension Story.Flag {
    fileprivate init(_ change: UserTally.Change) {
        let kind: Kind =
            switch change.previous {
            case nil: .first
            case change.current: .known
            default: .other
            }
        self.init(at: change.at, kind: kind, customer: change.customer)
    }
}

extension Date {
    /// Milliseconds since 1970.
    var wholeMilliseconds: Int64 {
        Int64((self.timeIntervalSince1970 * 1000).rounded())
    }
}
