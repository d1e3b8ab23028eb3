// SPDX-License-Identifier: Apache-2.0

import SignetLock

@testable import SignetEmulator

/// A clock that stands still until a test moves it, and that tells when somebody sleeps on it.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero

        func advanced(by duration: Duration) -> Instant {
            Instant(offset: self.offset + duration)
        }

        func duration(to other: Instant) -> Duration {
            other.offset - self.offset
        }

        static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private struct State: Sendable {
        var now = Instant()
        var sleepers: [(deadline: Instant, gate: EmulatorGate)] = []
    }

    private let state = Locked(State())
    // Each sleeper passes here first, so that a test can wait for it.
    private let bell = EmulatorGate()

    init() {
        self.bell.open()
    }

    var now: Instant {
        self.state.withLock { $0.now }
    }

    var minimumResolution: Duration {
        .zero
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let gate = EmulatorGate()
        let isDue = self.state.withLock { state in
            state.sleepers.append((deadline, gate))
            return deadline <= state.now
        }
        if isDue {
            gate.open()
        }
        _ = await self.bell.pass()
        guard await gate.pass() else { throw CancellationError() }
    }

    /// Waits until the next sleeper is asleep.
    func slept() async {
        await self.bell.arrived()
    }

    func advance(by duration: Duration) {
        let due = self.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due {
            sleeper.gate.open()
        }
    }
}
