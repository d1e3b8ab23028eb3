// SPDX-License-Identifier: Apache-2.0

/// Decides which installation of one kind of due work is visited next.
///
/// ```
/// open --a visit fails--> paused --the pause is over: one visit--> probing --it succeeds--> open, at one a second
///                           ^                                         |
///                           +-----------------it fails----------------+
/// ```
///
/// An outage costs one request a pause, however many installations wait. Afterwards the rate doubles each second up to the limit.
struct DueLane: Sendable {
    /// The limits of a lane.
    struct Limits: Sendable, Hashable {
        /// Visits under way at once.
        var inFlight: Int
        /// Visits that begin within a second.
        var perSecond: Double
    }

    /// The state of a lane.
    enum State: Sendable, Hashable {
        /// Visits go, up to this rate. Can transition to `paused` or `stopped`.
        case open(rate: Double)
        /// After failures in a row. Can transition to `probing`, `open` or `stopped`.
        case paused(until: Duration, failures: Int)
        /// One visit finds out whether the service is back. Can transition to `open`, `paused` or `stopped`.
        case probing(failures: Int)
        /// Terminal: no visit begins.
        case stopped
    }

    /// The next action.
    enum Action: Sendable, Hashable {
        /// Visit this installation, and report the end with `finished`.
        case visit(UInt32)
        /// Wait for news, or until this uptime.
        case wait(until: Duration?)
    }

    /// The result of a visit.
    enum Outcome: Sendable {
        /// The service has answered, and the work is done.
        case done
        /// There was nothing to do, or another task does it.
        case nothing
        /// The installation alone must wait this long; nothing was learnt about the service.
        case again(after: Duration)
        /// The service cannot be reached, or refuses everybody; nil for a pause of our own.
        case unwell(SignetError, pause: Duration?)
        /// Nothing was sent, as too many requests were in flight here; nothing was learnt about the service.
        case crowded(SignetError)
        /// The service refuses this installation alone.
        case refused(SignetError)
        /// Only the app can do it.
        case awaitsApp
    }

    /// The pauses after refusals of one installation.
    static let refusals: [Duration] = [.seconds(300), .seconds(3600), .seconds(21_600), .seconds(86_400)]

    /// The pause of an installation for which nothing could be sent.
    private static let crowdedPause = Duration.seconds(5)

    private(set) var state: State
    private let limits: Limits
    private var waiting = Deque<UInt32>()
    /// Visited without success: they go before the others.
    private var returned: [UInt32] = []
    private var known: Set<UInt32> = []
    private(set) var visiting: Set<UInt32> = []
    /// Found again during their visits.
    private var foundMeanwhile: Set<UInt32> = []
    private var postponed = DeadlineQueue<UInt32>()
    private var refusalsOf: [UInt32: Int] = [:]
    /// Installations of which only the app can do the work.
    private(set) var awaitingApp: Set<UInt32> = []
    private var tokens: Double
    private var refilledAt: Duration
    /// The uptime at which the rate was set, and whether a visit has succeeded since.
    private var ramp: (since: Duration, hasSucceeded: Bool)
    /// The uptime since which installations that could be visited wait without a break; nil while none does.
    ///
    /// One that waits alone, after a refusal of its own, does not count, nor does the time before a lane begins.
    private(set) var waitingSince: Duration?
    /// The error of the last failed visit; nil after a success.
    private(set) var lastError: SignetError?

    init(_ limits: Limits, now: Duration, pausedUntil start: Duration? = nil) {
        self.limits = limits
        self.state = start.map { .paused(until: $0, failures: 0) } ?? .open(rate: limits.perSecond)
        self.tokens = max(1, limits.perSecond)
        self.refilledAt = now
        self.ramp = (now, false)
    }

    // MARK: - Looking

    /// The number of installations that wait or are visited.
    var count: Int {
        self.known.count
    }

    /// True if the next page of installations can be looked for.
    var isEmpty: Bool {
        self.waiting.isEmpty && self.returned.isEmpty && self.visiting.isEmpty
    }

    /// The installations to leave out of the next page: they are known, or only the app can do their work.
    var others: Set<UInt32> {
        self.known.union(self.awaitingApp)
    }

    /// The end of the current pause; nil if there is none.
    var pausedUntil: Duration? {
        if case .paused(let until, _) = self.state { until } else { nil }
    }

    // MARK: - Installations

    /// Adds installations, each once, in their order.
    ///
    /// - Returns: The number of those that were not known.
    @discardableResult
    mutating func found(_ numbers: some Sequence<UInt32>, now: Duration) -> Int {
        let before = self.known.count
        for number in numbers where self.awaitingApp.isEmpty || !self.awaitingApp.contains(number) {
            if self.visiting.contains(number) {
                self.foundMeanwhile.insert(number)
            } else if self.known.insert(number).inserted {
                self.waiting.append(number)
                self.noteWaiting(now: now)
            }
        }
        return self.known.count - before
    }

    /// The app asks for another try of everything: pauses end.
    mutating func retry(now: Duration) {
        while let number = self.postponed.popDue(at: .seconds(Int64.max)) {
            self.waiting.append(number)
            self.noteWaiting(now: now)
        }
        if case .paused(_, let failures) = self.state { self.state = .paused(until: now, failures: failures) }
    }

    /// The app has changed something: an installation may be visited again.
    mutating func changed(_ number: UInt32) {
        self.awaitingApp.remove(number)
    }

    /// Keeps only these of the installations that wait for the app.
    mutating func keepAwaitingApp(_ numbers: Set<UInt32>) {
        self.awaitingApp.formIntersection(numbers)
    }

    // MARK: - Visits

    /// Returns the next action.
    mutating func next(now: Duration) -> Action {
        while let number = self.postponed.popDue(at: now) {
            self.waiting.append(number)
            self.noteWaiting(now: now)
        }
        switch self.state {
        case .stopped:
            return .wait(until: nil)
        case .probing:
            return .wait(until: self.postponed.first)
        case .paused(let until, let failures):
            guard until <= now else { return .wait(until: until) }
            guard let number = self.takeNext() else { return .wait(until: self.postponed.first) }
            self.state = .probing(failures: failures)
            return self.visit(number)
        case .open(let rate):
            let rate = self.ramped(rate, now: now)
            self.refill(rate, now: now)
            guard self.visiting.count < self.limits.inFlight, !self.waiting.isEmpty || !self.returned.isEmpty else {
                return .wait(until: self.postponed.first)
            }
            guard self.tokens >= 1 else {
                let next = now + .milliseconds(Int64(max(1, ((1 - self.tokens) * 1000 / rate).rounded(.up))))
                return .wait(until: self.postponed.first.map { min($0, next) } ?? next)
            }
            guard let number = self.takeNext() else { return .wait(until: self.postponed.first) }
            self.tokens -= 1
            return self.visit(number)
        }
    }

    private mutating func takeNext() -> UInt32? {
        self.returned.popLast() ?? self.waiting.popFirst()
    }

    private mutating func visit(_ number: UInt32) -> Action {
        self.visiting.insert(number)
        return .visit(number)
    }

    /// Takes the result of a visit.
    mutating func finished(_ number: UInt32, _ outcome: Outcome, now: Duration, jitter: Double) {
        guard self.visiting.remove(number) != nil else { return }
        self.known.remove(number)
        let isFoundAgain = self.foundMeanwhile.remove(number) != nil
        switch outcome {
        case .done:
            self.refusalsOf[number] = nil
            self.answered(nil, now: now, jitter: jitter)
        case .nothing:
            self.refusalsOf[number] = nil
            self.probeNext(now: now)
        case .awaitsApp:
            self.awaitingApp.insert(number)
            self.probeNext(now: now)
        case .again(let pause):
            self.postpone(number, until: now + pause)
            self.probeNext(now: now)
        case .crowded(let error):
            self.postpone(number, until: now + Self.crowdedPause)
            self.probeNext(now: now)
            if case .open(let rate) = self.state {
                self.state = .open(rate: max(1, rate / 2))
                self.ramp = (now, false)
            }
            self.lastError = error
        case .refused(let error):
            let count = self.refusalsOf[number, default: 0]
            self.refusalsOf[number] = count + 1
            self.postpone(number, until: now + Self.refusals[min(count, Self.refusals.count - 1)])
            self.answered(nil, now: now, jitter: jitter)
            self.lastError = error
        case .unwell(let error, let pause):
            self.known.insert(number)
            // A probe that failed goes last: it may be the only one that fails.
            if case .probing = self.state { self.waiting.append(number) } else { self.returned.append(number) }
            self.answered((error, pause), now: now, jitter: jitter)
        }
        if isFoundAgain { self.found(CollectionOfOne(number), now: now) }
        if self.isEmpty { self.waitingSince = nil }
    }

    private mutating func noteWaiting(now: Duration) {
        guard self.waitingSince == nil else { return }
        if case .paused(let until, 0) = self.state {
            self.waitingSince = max(now, until)
        } else {
            self.waitingSince = now
        }
    }

    private mutating func postpone(_ number: UInt32, until deadline: Duration) {
        self.known.insert(number)
        self.postponed.insert(number, at: deadline)
    }

    /// Nothing was learnt: the next installation is the probe.
    private mutating func probeNext(now: Duration) {
        if case .probing(let failures) = self.state { self.state = .paused(until: now, failures: failures) }
    }

    // MARK: - Evidence

    /// Takes what the answer to a call for an installation says of the service.
    ///
    /// That of a visit under way is none: the end of the visit says it, and where the installation goes on to wait.
    mutating func heard(
        of number: UInt32,
        _ failure: (error: SignetError, pause: Duration?)?,
        now: Duration,
        jitter: Double
    ) {
        guard !self.visiting.contains(number) else { return }
        self.answered(failure, now: now, jitter: jitter)
    }

    /// Takes what an answer says of the service.
    ///
    /// - Parameters:
    ///   - failure: The failure, and the pause that the service has asked for; nil for a success.
    ///   - now: Uptime.
    ///   - jitter: From 0 to 1.
    mutating func answered(_ failure: (error: SignetError, pause: Duration?)?, now: Duration, jitter: Double) {
        guard let failure else {
            self.lastError = nil
            switch self.state {
            case .open: self.ramp.hasSucceeded = true
            case .paused(_, 0), .stopped: break
            case .paused, .probing:
                self.state = .open(rate: 1)
                (self.tokens, self.refilledAt, self.ramp) = (1, now, (now, true))
            }
            return
        }
        self.lastError = failure.error
        let failures: Int
        switch self.state {
        case .stopped: return
        case .open: failures = 1
        case .probing(let before): failures = before + 1
        // Requests that were under way at the first failure say the same.
        case .paused(_, let before): failures = max(1, before)
        }
        let pause = failure.pause ?? BackOff.length(after: failures, BackOff.steps, jitter: jitter)
        let until = max(self.pausedUntil ?? .zero, now + pause)
        if case .paused(_, let before) = self.state, before > 0, failure.pause == nil { return }
        self.state = .paused(until: until, failures: failures)
    }

    /// The next step of a lane that ends.
    enum StopAction: Sendable, Hashable {
        /// Nothing is under way.
        case stopped
        /// Visits are under way.
        case awaitVisits
    }

    /// Begins no further visit.
    mutating func stop() -> StopAction {
        self.state = .stopped
        return self.visiting.isEmpty ? .stopped : .awaitVisits
    }

    // MARK: - The rate

    private mutating func ramped(_ rate: Double, now: Duration) -> Double {
        guard rate < self.limits.perSecond, self.ramp.hasSucceeded, now - self.ramp.since >= .seconds(1) else {
            return rate
        }
        let next = min(self.limits.perSecond, rate * 2)
        self.state = .open(rate: next)
        self.ramp = (now, false)
        return next
    }

    private mutating func refill(_ rate: Double, now: Duration) {
        let passed = (now - self.refilledAt) / .seconds(1)
        self.refilledAt = max(now, self.refilledAt)
        // A billionth less than one counts as one: seconds are added up in binary.
        self.tokens = min(max(1, rate), self.tokens + max(0, passed) * rate + 1e-9)
    }
}

extension DueLane.Outcome {
    /// Reads a failure: of the service, or of the installation alone.
    init(failure error: SignetError) {
        switch error.code {
        // The next open of the installation reports it.
        case _ where error.isUnreadable: self = .nothing
        case .notRunning, .cancelled, .closed, .superseded, .optedOut, .noUser: self = .nothing
        case .requestInProgress: self = .again(after: .seconds(1))
        case .notSent: self = .crowded(error)
        // Of this installation alone; the dispatcher knows when it is everybody's.
        case .throttled: self = .again(after: BackOff.asked(error) ?? .seconds(60))
        // A page of a proxy is no refusal: it may be the answer to all installations.
        case .rejected where DeliveryVerdict(error).isFinal: self = .refused(error)
        default: self = .unwell(error, pause: BackOff.asked(error))
        }
    }
}
