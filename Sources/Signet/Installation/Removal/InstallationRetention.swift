// SPDX-License-Identifier: Apache-2.0

/// Removes idle installations of this directory once a day, as ``SignetConfiguration/Installations/retention`` says; see ``FleetRetention``.
actor InstallationRetention {
    private let opening: InstallationOpening
    /// The uptime of the next removal.
    private var next: Duration
    /// The uptime at which the mark of the clock is written again.
    private var nextMark = Duration.zero
    private var clock: RetentionClock
    /// True if it was told that the clock has jumped.
    private var isReported = false
    /// True if nothing is left of installations that never were.
    private var isSwept = false

    private static let day = Duration.seconds(86_400)
    private static let hour = Duration.seconds(3600)
    private static let minute = Duration.seconds(60)

    /// The first time is within an hour, so that replicas that start together do not work together.
    init(_ opening: InstallationOpening) {
        let context = opening.context
        self.opening = opening
        self.next = context.time.uptime + Self.hour * context.configuration.jitter()
        let mark = Self.mark(in: context)
        self.clock = RetentionClock(
            after: mark,
            uptime: context.time.uptime,
            wall: context.time.milliseconds,
            keeping: context.configuration.installations.retention ?? .zero
        )
        if let mark, mark.isBelieved { context.uses.begin(after: mark.last) }
    }

    /// The mark of the process before; nil if none can be read, then a day passes first.
    private static func mark(in context: RuntimeContext) -> RetentionClock.Mark? {
        do throws(SignetError) {
            return try context.store.value(for: StateKey.retentionClock).flatMap { RetentionClock.Mark($0) }
        } catch {
            return nil
        }
    }

    /// True if the installations are this directory's: the shared store's have ``FleetRetention``.
    nonisolated var isNeeded: Bool {
        self.opening.context.fleet == nil
    }

    /// Looks at the clock once a minute, and removes once a day, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // Cancelled: the runtime ends.
            do { try await self.opening.context.time.sleep(for: Self.minute) } catch { return }
            await self.removeUnborn()
            guard self.opening.context.configuration.installations.retention != nil || !self.isSwept else { return }
            await self.tidy()
        }
    }

    /// Removes what first writes have left that were cut short, once in a process.
    private func removeUnborn() async {
        guard !self.isSwept else { return }
        do throws(SignetError) {
            try await UnbornInstallations(self.opening).remove()
            self.isSwept = true
        } catch {
            self.opening.context.health.failed(error.code)
        }
    }

    /// Removes them if it is time, and if the wall clock can be believed; after an error it tries again in an hour.
    func tidy() async {
        let context = self.opening.context
        guard self.isNeeded, let retention = context.configuration.installations.retention else { return }
        let now = context.time.uptime
        let finding = self.clock.look(uptime: now, wall: context.time.milliseconds)
        self.report(finding)
        guard self.next <= now, finding == .believed else { return }
        self.next = now + Self.day
        do throws(SignetError) {
            _ = try await Self.remove(idleFor: retention, self.opening)
        } catch {
            guard error.code != .cancelled, error.code != .notRunning else { return }
            self.next = now + Self.hour
            // A disk that refuses is told of as such; nothing is damaged.
            context.health.failed(error.code)
        }
    }

    /// Keeps the mark on disk, and reports a jump, once until the clock is believed again.
    private func report(_ finding: RetentionClock.Finding) {
        let context = self.opening.context
        if case .jumped(let jump) = finding {
            self.nextMark = .zero
            if !self.isReported {
                context.observer.corruptionDetected(
                    "The clock of this machine was set by \(jump / 1000) s. Idle installations are removed only after a day "
                        + "without another jump; nothing else is affected. Check its time service if the time is wrong."
                )
            }
            self.isReported = true
        }
        if finding == .believed { self.isReported = false }
        guard context.time.uptime >= self.nextMark else { return }
        self.nextMark = context.time.uptime + Self.hour
        do throws(SignetError) {
            try context.store.put(self.clock.mark.encoded(), for: StateKey.retentionClock)
        } catch {
            // The next process then waits for a day.
        }
    }

    /// Removes installations of this directory, or rows of the shared store.
    static func remove(idleFor time: Duration, _ opening: InstallationOpening) async throws(SignetError) -> Int {
        guard let fleet = opening.context.fleet else {
            let count = try await IdleInstallations(opening).remove(idleFor: time)
            if let consents = opening.context.consents {
                try await IdleConsents(opening.context, consents).remove(idleFor: time)
            }
            return count
        }
        guard opening.context.lifecycle.acceptsCalls else { throw .notRunning }
        var count = 0
        try await FleetRemoval(fleet: fleet).removeIdle(days: FleetRetention.days(in: time)) { portion in
            opening.context.removed(portion)
            count += portion
        }
        return count
    }
}
