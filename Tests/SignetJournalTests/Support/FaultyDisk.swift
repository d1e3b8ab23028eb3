// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock

/// A disk that fails when a test says so, and writes down what it was asked.
final class FaultyDisk: Sendable {
    struct Asked: Sendable, Equatable {
        var call: Disk.Call
        var name: String
    }

    private struct State: Sendable {
        var asked: [Asked] = []
        var rule: @Sendable (Disk.Call, String, Int) -> Disk.Fault? = { _, _, _ in nil }
        var counts: [Disk.Call: Int] = [:]
    }

    private let state = Locked(State())

    var disk: Disk {
        Disk { call, name in
            let (rule, count) = self.state.withLock { state in
                state.asked.append(Asked(call: call, name: String(name.split(separator: "/").last ?? "")))
                state.counts[call, default: 0] += 1
                return (state.rule, state.counts[call, default: 0])
            }
            return rule(call, name, count)
        }
    }

    /// What was asked since the last `reset`.
    var asked: [Asked] { self.state.withLock { $0.asked } }

    /// How often something was asked since the last `reset`.
    func count(_ call: Disk.Call) -> Int { self.state.withLock { $0.counts[call, default: 0] } }

    /// Lets calls fail by a rule, which gets the call, the name, and how often it was asked, from 1.
    func fail(_ rule: @escaping @Sendable (Disk.Call, String, Int) -> Disk.Fault?) {
        self.state.withLock { state in
            state.rule = rule
            state.counts = [:]
            state.asked = []
        }
    }

    /// Lets all calls happen, and counts from zero.
    func reset() {
        self.fail { _, _, _ in nil }
    }
}
