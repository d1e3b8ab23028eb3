// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetLock

/// The listening state of a server, for callers that wait for its URL.
final class Listening: Sendable {
    private enum Phase {
        case idle
        case starting
        case listening(String)
        case ended(EmulatorServerError, hadListened: Bool)

        var hasListened: Bool {
            switch self {
            case .idle, .starting: false
            case .listening: true
            case .ended(_, let hadListened): hadListened
            }
        }
    }

    private typealias Outcome = Result<String, EmulatorServerError>

    private struct State {
        var phase = Phase.idle
        var waiting: [CheckedContinuation<Outcome, Never>] = []
    }

    private let state = Locked(State())

    var hasListened: Bool {
        self.state.withLock { $0.phase.hasListened }
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
        self.move(telling: .success(url)) { _ in .listening(url) }
    }

    /// Ends it; current and later callers receive the error.
    func end(_ error: EmulatorServerError = EmulatorServerError(.stopped, "The server has ended.")) {
        self.move(telling: .failure(error)) { .ended(error, hadListened: $0.hasListened) }
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
                case .ended(let error, _):
                    return .failure(error)
                }
            }
            if let known {
                continuation.resume(returning: known)
            }
        }
        return try outcome.get()
    }

    private func move(telling outcome: Outcome, to next: (Phase) -> Phase) {
        let waiting = self.state.withLock { state in
            // The first error wins.
            if case .ended = state.phase { return [CheckedContinuation<Outcome, Never>]() }
            state.phase = next(state.phase)
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting {
            continuation.resume(returning: outcome)
        }
    }
}
#endif
