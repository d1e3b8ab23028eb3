// SPDX-License-Identifier: Apache-2.0

/// Decides which opens the store is asked for, so that opens which cannot be served in time are refused at once.
///
/// An open reads a row. Changes follow if there is no row, and if a session begins or ends: each takes the store about ten times as long
/// as the reading. An open has its place through both, until it returns. The number of places follows from the rates at which the store
/// has answered; see ``ServiceRate``. While changes follow most opens, their rate limits the opens. Otherwise only the changes are
/// limited by it, so that visitors with an open session are served beside a few new ones.
struct OpenAdmission: Hashable {
    enum Verdict: Hashable {
        case admitted
        case refused
    }

    enum Entry: Hashable {
        /// An open; changes may follow.
        case open
        /// A reading by itself.
        case reading
    }

    enum ChangeVerdict: Hashable {
        case admitted
        /// It has a place, and goes when another change has ended.
        case waits
        case refused
    }

    enum Outcome: Hashable {
        case answered
        case failed
    }

    /// A reading that was answered.
    struct Reading: Hashable {
        /// The callers whom it has answered.
        let callers: Int
        /// The moment.
        let at: Duration
        /// The opens among the callers.
        var opens = 0
        /// The sum of the times since the callers came.
        var time = Duration.zero
    }

    /// Some opens, and the changes that followed.
    private struct Sample: Hashable {
        var opens = 0
        var changes = 0
    }

    /// The time for all calls of an open.
    static let limit = RowReader.limit
    /// The time after which an open that waits for its reading is behind those who came later.
    static let patience = Duration.milliseconds(300)
    /// At least the rows of one statement; the most is a limit of memory.
    ///
    /// The targets leave half of ``limit``: a server that stands still for some hundred milliseconds has its time, and
    /// those who were let in before are served after it.
    private static let readings = ServiceRate.Bounds(
        fewest: SharedStoreLimits.batch,
        first: 4_096,
        most: 8_192,
        target: .milliseconds(150)
    )
    private static let changes = ServiceRate.Bounds(
        fewest: Self.changesInAnyCase,
        first: 512,
        most: 8_192,
        target: .milliseconds(300)
    )
    /// The time in which those must be served who have a place: an open that would be served later is refused at once.
    private static let latest = Duration.milliseconds(900)
    /// The changes that the store is asked for at once; others that have a place wait.
    ///
    /// Fewer than may wait in a `PostgresStore` (1,024), so that opens leave room for identity calls, flushes and ends of sessions.
    static let changesAtOnce = 768
    /// A store with fewer to do is not refused a change, however slow it is.
    private static let changesInAnyCase = 64
    /// The opens after which their changes are counted.
    private static let sample = 256
    /// The changes of an open, on average, from which on their rate limits the opens.
    private static let limiting = 0.5

    private var readings = ServiceRate(Self.readings)
    private var changes = ServiceRate(Self.changes)
    private var inside = 0
    private var changing = 0
    private var waitingChanges = 0
    private var sample = Sample()
    /// The changes that follow an open, on average.
    private var changesPerOpen = 0.0

    /// The number of opens that are served within the targets.
    private var places: Int { self.places(readings: self.readings.places, changes: self.changes.places) }

    private func places(readings: Int, changes: Int) -> Int {
        self.isLimitedByChanges ? min(readings, Int(Double(changes) / self.changesPerOpen)) : readings
    }

    private var isLimitedByChanges: Bool { self.changesPerOpen >= Self.limiting }

    /// The number of opens that have a place and would be served too late.
    ///
    /// Fewer than those beyond ``places``: the rate changes with each stutter of the server, and an open that waits has
    /// cost a reading.
    var excess: Int {
        let places = self.places(
            readings: self.readings.places(within: Self.latest),
            changes: self.changes.places(within: Self.latest)
        )
        return max(0, self.inside - places)
    }

    /// Gives a place to an open or a reading, or refuses it; ``leave()`` gives the place back.
    mutating func enter(_ entry: Entry, at now: Duration) -> Verdict {
        self.readings.advance(to: now)
        self.changes.advance(to: now)
        let places = entry == .open ? self.places : self.readings.places
        guard self.inside < places else {
            if self.inside >= self.readings.places { self.readings.refused() } else { self.changes.refused() }
            return .refused
        }
        self.inside += 1
        return .admitted
    }

    mutating func leave() {
        self.inside -= 1
    }

    /// Notes that rows were read.
    mutating func noteReading(_ reading: Reading) {
        self.readings.ended(
            ServiceRate.Ended(
                count: reading.callers,
                answered: reading.callers,
                time: reading.time,
                underWay: self.inside
            ),
            at: reading.at
        )
        // The changes of a reading begin after it: those of the last one have begun by now.
        if self.sample.opens >= Self.sample {
            let measured = Double(self.sample.changes) / Double(self.sample.opens)
            self.changesPerOpen += (measured - self.changesPerOpen) / 2
            self.sample = Sample()
        }
        self.sample.opens += reading.opens
    }

    // MARK: - Changes

    /// Gives a place to a change of an open, or refuses it; ``endChange(_:after:at:)`` gives the place back.
    ///
    /// - Parameters:
    ///   - time: The time since the open was called.
    ///   - now: The moment.
    /// - Returns: The verdict.
    mutating func beginChange(after time: Duration, at now: Duration) -> ChangeVerdict {
        self.changes.advance(to: now)
        self.sample.changes += 1
        let before = self.changing + self.waitingChanges
        // The number of opens that were admitted is an estimate: more are served a little later, not refused after
        // their reading.
        let isInTime = time + self.changes.time(for: before) <= Self.limit
        guard isInTime || before < Self.changesInAnyCase else {
            self.changes.refused()
            return .refused
        }
        guard self.changing < Self.changesAtOnce else {
            self.waitingChanges += 1
            return .waits
        }
        self.changing += 1
        return .admitted
    }

    /// Says whether the first change that waits goes now.
    ///
    /// - Parameter time: The time since its open was called.
    /// - Returns: `waits` if others must end before; `refused` if it would be answered too late behind those that the
    ///   store was asked for.
    mutating func resumeChange(after time: Duration) -> ChangeVerdict {
        guard time + self.changes.time(for: self.changing) <= Self.latest else {
            self.waitingChanges -= 1
            return .refused
        }
        guard self.changing < Self.changesAtOnce else { return .waits }
        self.waitingChanges -= 1
        self.changing += 1
        return .admitted
    }

    /// The number of changes that wait and would be carried out too late.
    var excessChanges: Int {
        let places = self.changes.places(within: Self.latest)
        return min(self.waitingChanges, max(0, self.changing + self.waitingChanges - places))
    }

    /// Takes back the place of a change that waits.
    mutating func withdrawChange() {
        self.waitingChanges -= 1
    }

    /// Notes the end of a change.
    ///
    /// - Parameters:
    ///   - outcome: The fate of the call.
    ///   - time: The time that it took.
    ///   - now: The moment.
    mutating func endChange(_ outcome: Outcome, after time: Duration, at now: Duration) {
        let answered = outcome == .answered ? 1 : 0
        self.changes.ended(
            ServiceRate.Ended(count: 1, answered: answered, time: time, underWay: self.changing),
            at: now
        )
        self.changing -= 1
    }
}
