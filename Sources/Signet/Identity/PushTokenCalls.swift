// SPDX-License-Identifier: Apache-2.0

/// The calls of one installation that send a changed push token, and the pauses after their failures.
struct PushTokenCalls: Sendable {
    /// The next step after the end of a call.
    enum EndAction: Sendable, Hashable {
        /// Nothing.
        case nothing
        /// Begin another call when the pause is over.
        case repeatAfterPause
    }

    /// The pauses after the platform has refused the token itself.
    static let refusedSteps: [Duration] = [.seconds(300), .seconds(3600), .seconds(6 * 3600), .seconds(24 * 3600)]

    /// The numbers of the calls that have begun.
    private var calls: Set<Int> = []
    private var visits: [Promise<IdentityOutcome>] = []
    private var backOff = BackOff()
    /// True while a job waits for the end of the pause.
    private var isWaiting = false

    /// The end of the pause; nil if there is none.
    func pause(at now: Duration) -> Duration? {
        self.backOff.pausedUntil.flatMap { $0 > now ? $0 : nil }
    }

    /// True if a call has begun.
    var isUnderWay: Bool {
        !self.calls.isEmpty
    }

    /// Notes a call that has begun.
    mutating func begin(_ number: Int) {
        self.calls.insert(number)
    }

    /// The outcome of the next call that ends; nil if none has begun.
    mutating func join() -> Promise<IdentityOutcome>? {
        guard !self.calls.isEmpty else { return nil }
        let visit = Promise<IdentityOutcome>()
        self.visits.append(visit)
        return visit
    }

    /// Takes the end of a call.
    ///
    /// - Parameters:
    ///   - number: The number of the call; of others nothing follows.
    ///   - outcome: Its outcome.
    ///   - now: Uptime.
    ///   - jitter: From 0 to 1.
    /// - Returns: The next step.
    mutating func end(_ number: Int, _ outcome: IdentityOutcome, now: Duration, jitter: Double) -> EndAction {
        guard self.calls.remove(number) != nil else { return .nothing }
        let visits = self.visits
        self.visits = []
        for visit in visits { visit.resolve(outcome) }
        guard case .failed(let error) = outcome else {
            self.backOff.clear()
            return .nothing
        }
        switch error.code {
        // Another user, an opt-in or another process of the installation sends it.
        case .optedOut, .noUser, .closed, .notRunning, .cancelled: return .nothing
        case .rejected where DeliveryVerdict(error).isFinal:
            self.backOff.fail(error, now: now, jitter: jitter, steps: Self.refusedSteps)
        default: self.backOff.fail(error, now: now, jitter: jitter)
        }
        guard !self.isWaiting else { return .nothing }
        self.isWaiting = true
        return .repeatAfterPause
    }

    /// Notes that no job waits any more.
    mutating func endPause() {
        self.isWaiting = false
    }
}
