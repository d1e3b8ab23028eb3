// SPDX-License-Identifier: Apache-2.0

import Testing

/// The state x event table of a user's token, by hand.
enum TokenTable {
    enum Stage: String, CaseIterable, Sendable {
        case empty, scheduled, resting, due, expired, wornOut, doubting, fetching, refreshing, retrying, exhausted,
            paused
        case pausedHolding
    }

    enum Event: String, CaseIterable, Sendable {
        case request, refusedPresent, refusedOlder, succeeded, succeededOlder
        case answeredToken, answeredUnreadable, answeredNothing, answeredLate, woke, wokeLate
        case setToken, setUnreadable, setNothing, pause, resume, leave
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let stage: Stage
        let event: Event
        let action: String
        let next: String

        var testDescription: String { "\(self.stage) \(self.event)" }
    }

    /// One block for each stage; each line is an event, what is done, and the state after it.
    static let rows: [Row] = TokenTable.text.split(separator: "\n\n").flatMap { block -> [Row] in
        let lines = block.split(separator: "\n")
        return lines.dropFirst().compactMap { line in
            let cells = line.split(separator: "|").map { cell in
                cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            }.map { String($0) }
            guard cells.count == 3, let stage = Stage(rawValue: String(lines[0])), let event = Event(rawValue: cells[0])
            else { return nil }
            return Row(stage: stage, event: event, action: cells[1], next: cells[2])
        }
    }
}
