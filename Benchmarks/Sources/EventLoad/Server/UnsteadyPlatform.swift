// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator

/// A platform in this process that is slow or refuses at times: the emulator for identities, and a counter for events.
///
/// The counter reads the time at which each event was logged, and so knows how long its delivery took.
final class UnsteadyPlatform: Transport {
    /// What has come so far.
    struct Counts: Sendable {
        var requests = 0
        var faults = 0
        /// Events of the load that were accepted.
        var events = 0
        /// From `log` to the answer.
        var lags = Histogram()
    }

    private struct State {
        var chance: Chance
        var isSteady = false
        var counts = Counts()
    }

    private let emulator: Emulator
    private let state: Lock<State>

    init(seed: UInt64) {
        self.emulator = Emulator()
        self.state = Lock(State(chance: Chance(seed: seed)))
    }

    var counts: Counts {
        self.state.withLock { $0.counts }
    }

    /// Answers everything at once from now on.
    func settle() {
        self.state.withLock { $0.isSteady = true }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let fault = self.state.withLock { state -> PlatformFault in
            state.counts.requests += 1
            let fault = state.isSteady ? .none : PlatformFault.draw(&state.chance)
            if fault != .none { state.counts.faults += 1 }
            return fault
        }
        switch fault {
        case .none: break
        case .slow(let duration):
            do {
                try await Task.sleep(for: duration)
            } catch {
                throw TransportError(.cancelled, "The task was cancelled.")
            }
        case .refused(let status):
            var response = TransportResponse(status: status)
            response.headers.append(name: "Retry-After", value: "1")
            return response
        }
        guard request.url.contains("/v2/") else { return try await self.emulator.transport.send(request) }
        self.accept(request.body)
        return TransportResponse(status: 202)
    }

    private func accept(_ body: [UInt8]) {
        let now = Nanoseconds.now
        let times = body.withUnsafeBytes { LogTime.all(in: $0) }
        self.state.withLock { state in
            state.counts.events += times.count
            for time in times { state.counts.lags.record(now > time ? now - time : 0) }
        }
    }
}
