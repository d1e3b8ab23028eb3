// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetIterable
import SignetTesting
import SignetTrace

/// Replays a trace through a runtime that talks to an emulator, on a clock that the trace moves.
struct Replay {
    private let trace: Trace
    private let mpids: MPIDSequence
    private let project: EmulatedIterableProject?
    private let clock: ManualClock
    private let executor = SettlingExecutor()

    /// Prepares a replay.
    ///
    /// - Parameters:
    ///   - trace: What to replay.
    ///   - mpids: Where the platform gets the numbers of its users from.
    ///   - project: What visitors become unknown users by; nil for a day without.
    init(_ trace: Trace, mpids: MPIDSequence = .random(seed: 1), project: EmulatedIterableProject? = nil) {
        self.trace = trace
        self.project = project
        self.mpids = mpids
        self.clock = ManualClock(startingAtMilliseconds: trace.header.start)
    }

    /// Replays all of it.
    ///
    /// - Parameters:
    ///   - folder: Where the runtime keeps its state; a new one.
    ///   - progress: Is told how many lines are done.
    /// - Returns: What the runtime said and what the platform then knows.
    /// - Throws: `SignetError` when the runtime cannot work in the folder; ``TraceError`` for a line that says what no app may.
    func run(in folder: String, progress: (Int) -> Void = { _ in }) async throws -> ReplayOutcome {
        try await withTaskExecutorPreference(self.executor) {
            let emulator = Emulator(self.workspace, clock: self.clock, wallClock: { [clock] in clock.date })
            let signet = try EmulatedSignet(
                in: folder,
                platform: emulator,
                clock: self.clock,
                services: self.services(of: emulator)
            ) { configuration in
                configuration.useApplicationDefaults()
                configuration.environment = self.trace.header.environment
                // What arrives is compared with what the trace says, which has no launches.
                configuration.sessions.reportsApplicationState = false
                configuration.sessions.timeout = self.trace.header.sessionTimeout
            }
            // Subscribed before anything happens, read while it happens: the buffers have an end.
            let (userChanges, sessionChanges) = (signet.runtime.userChanges(), signet.runtime.sessionChanges())
            async let users = UserTally(userChanges)
            async let sessions = SessionTotals(sessionChanges)
            let visitors = try await signet.run { signet in
                try await self.replay(on: signet.runtime, progress: progress)
            }
            return await ReplayOutcome(
                visitors: visitors,
                users: users,
                sessions: sessions,
                statistics: signet.runtime.statistics,
                platform: signet.emulator,
                activation: self.project.map { _ in ActivationReport(signet.emulator.iterable) }
            )
        }
    }

    private var workspace: EmulatorConfiguration {
        var configuration = EmulatorConfiguration(
            strategy: self.trace.header.strategy,
            priority: self.trace.header.priority,
            uniqueIdentities: self.trace.header.uniqueIdentities,
            loginIdentities: self.trace.header.loginIdentities,
            mpids: self.mpids
        )
        if let project = self.project { configuration.iterableProjects = [project] }
        return configuration
    }

    private func services(of emulator: Emulator) -> [any SignetService] {
        self.project.map { project -> [any SignetService] in
            var visitors = IterableConfiguration(apiKey: Secret(project.apiKey))
            visitors.isEnabled = true
            // The platform signs in the place of the shop's server, which would have the secret of the project.
            visitors.tokens = TokenProvider<IterableUserID> { subject, _ in
                switch subject {
                case .email(let email): Secret(emulator.iterable.signToken(for: .email(email)))
                case .userID(let userID): Secret(emulator.iterable.signToken(for: .userID(userID)))
                }
            }
            // The app says once what happens; its visitor hears it too.
            visitors.forwardsEvents = true
            return [IterableService(visitors)]
        } ?? []
    }

    private func replay(on runtime: SignetRuntime, progress: (Int) -> Void) async throws -> VisitorTally {
        var visitors = Visitors(runtime, consents: self.project != nil)
        for (done, line) in self.trace.lines.enumerated() {
            await self.advance(to: self.trace.header.start + line.at)
            do throws(SignetError) {
                try await visitors.perform(line)
            } catch {
                guard error.code == .invalidArgument else { throw error }
                throw TraceError(file: self.trace.file, line: line.number, reason: error.message)
            }
            progress(done + 1)
        }
        // Sessions in the background end; one that a kill left open stays so. Then the last uploads go out.
        await self.advance(to: self.clock.milliseconds + self.trace.header.sessionTimeout.milliseconds + 60_000)
        return visitors.tally
    }

    /// Moves the clock from deadline to deadline; each time whoever wakes does what there is to do, to the end of it.
    ///
    /// The emulator answers at once, so that no request is under way when the clock moves, and none times out.
    private func advance(to milliseconds: Int64) async {
        await self.executor.settled()
        let target = self.clock.now.advanced(by: .milliseconds(milliseconds - self.clock.milliseconds))
        while let deadline = self.clock.nextDeadline, deadline <= target {
            self.clock.advance(to: deadline)
            await self.executor.settled()
        }
        self.clock.advance(to: target)
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        Int64(self / .milliseconds(1))
    }
}
