// SPDX-License-Identifier: Apache-2.0

/// Decides what of the disk is looked at next for due work: all of it after the start, and a part of it each minute.
///
/// ```
/// looking --a step is refused: it comes again after a pause--> looking --nothing is left--> found
/// ```
///
/// A step that the disk refuses holds up no other.
struct DueSearch: Sendable {
    /// One step.
    enum Step: Sendable, Hashable {
        /// Opt-outs whose event may be missing.
        case optOuts
        /// Erasures and resets that the disk or the shared store has cut short: each minute tries them again, here they are counted.
        case erasures
        /// Sessions in the journal.
        case sessions
        /// Logins and log-outs that a service has not followed.
        case outboxes
        /// Marked records of one part of the state log.
        case marked(part: Int)
        /// The same again, for records that no object in memory knows of: a disk that refused a write may have left one.
        case late(part: Int)
    }

    /// The next action after the start.
    enum Action: Sendable, Hashable {
        case look(Step)
        /// Wait, as the disk has refused all that is left.
        case pause
        case found
    }

    /// The parts of a minute: all 256 within 52 minutes.
    private static let partsInAMinute = 5

    private let parts: Int
    /// The steps of this round, the next one last.
    private var steps: [Step]
    private var refused: [Step] = []
    /// The part that is looked at next; nil until all were once.
    private var latePart: Int?
    private var areOptOutsDue = false

    /// - Parameter parts: The number of parts of the state log.
    init(parts: Int) {
        self.parts = parts
        self.steps = ([.optOuts, .sessions, .outboxes] + (0..<parts).map { .marked(part: $0) }).reversed()
    }

    /// Returns the next action after the start.
    mutating func next() -> Action {
        if let step = self.steps.popLast() { return .look(step) }
        self.latePart = self.latePart ?? 0
        guard !self.refused.isEmpty else { return .found }
        (self.steps, self.refused) = (self.refused.reversed(), [])
        return .pause
    }

    /// Returns what is to be looked at in this minute.
    mutating func minute() -> [Step] {
        var steps = [Step.erasures]
        if self.areOptOutsDue { steps.append(.optOuts) }
        self.areOptOutsDue = false
        guard let first = self.latePart else { return steps }
        let last = min(first + Self.partsInAMinute, self.parts)
        self.latePart = last == self.parts ? 0 : last
        return steps + (first..<last).map { .late(part: $0) }
    }

    /// The disk has refused a step.
    mutating func refused(_ step: Step) {
        switch step {
        case .optOuts: self.areOptOutsDue = true
        // They come again within the minute and the hour.
        case .erasures, .late: break
        case .sessions, .outboxes, .marked: self.refused.append(step)
        }
    }

    /// An opt-out of this process may lack its event, or a service has not followed it.
    mutating func optOutsAreLeft() {
        self.areOptOutsDue = true
    }
}
