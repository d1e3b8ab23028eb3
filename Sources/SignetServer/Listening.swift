//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetLock

/// Whether a server listens, for those who wait for its address.
final class Listening: Sendable {
    private enum Phase {
        case idle
        case starting
        case listening(String)
        case ended
    }

    private struct State {
        var phase = Phase.idle
        var hasListened = false
        var waiting: [CheckedContinuation<String?, Never>] = []
    }

    private let state = Locked(State())

    var hasListened: Bool {
        self.state.withLock { $0.hasListened }
    }

    /// False when it began before.
    func begin() -> Bool {
        self.state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .starting
            return true
        }
    }

    func announce(_ url: String) {
        self.move(to: .listening(url), telling: url)
    }

    func end() {
        self.move(to: .ended, telling: nil)
    }

    func url() async throws(EmulatorServerError) -> String {
        let url = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
            let known = self.state.withLock { state -> String?? in
                switch state.phase {
                case .idle, .starting:
                    state.waiting.append(continuation)
                    return nil
                case .listening(let url):
                    return .some(url)
                case .ended:
                    return .some(nil)
                }
            }
            if let known {
                continuation.resume(returning: known)
            }
        }
        guard let url else { throw EmulatorServerError(.stopped, "The server has ended.") }
        return url
    }

    private func move(to phase: Phase, telling url: String?) {
        let waiting = self.state.withLock { state in
            state.phase = phase
            state.hasListened = state.hasListened || url != nil
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting {
            continuation.resume(returning: url)
        }
    }
}
#endif
