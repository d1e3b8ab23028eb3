// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetLock

/// The listening state of a server, for callers that wait for its URL.
final class Listening: Sendable {
    private enum Phase {
        case idle
        case starting
        case listening(String)
        case ended(EmulatorServerError)
    }

    private typealias Outcome = Result<String, EmulatorServerError>

    private struct State {
        var phase = Phase.idle
        var hasListened = false
        var waiting: [CheckedContinuation<Outcome, Never>] = []
    }

    private let state = Locked(State())

    var hasListened: Bool {
        self.state.withLock { $0.hasListened }
    }

    /// Starts; returns false if it was started before.
    func begin() -> Bool {
        self.state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .starting
            return true
        }
    }

    func announce(_ url: String) {
        self.move(to: .listening(url), telling: .success(url))
    }

    /// Ends it; current and later callers receive the error.
    func end(_ error: EmulatorServerError = EmulatorServerError(.stopped, "The server has ended.")) {
        self.move(to: .ended(error), telling: .failure(error))
    }

    func url() async throws(EmulatorServerError) -> String {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            let known = self.state.withLock { state -> Outcome? in
                switch state.phase {
                case .idle, .starting:
                    state.waiting.append(continuation)
                    return nil
                case .listening(let url):
                    return .success(url)
                case .ended(let error):
                    return .failure(error)
                }
            }
            if let known {
                continuation.resume(returning: known)
            }
        }
        return try outcome.get()
    }

    private func move(to phase: Phase, telling outcome: Outcome) {
        let waiting = self.state.withLock { state in
            // The first error wins.
            if case .ended = state.phase { return [CheckedContinuation<Outcome, Never>]() }
            state.phase = phase
            if case .listening = phase { state.hasListened = true }
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting {
            continuation.resume(returning: outcome)
        }
    }
}
#endif
