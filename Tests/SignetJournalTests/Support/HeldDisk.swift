// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SignetJournal
import SignetLock

/// A disk whose calls stand still until the test lets them go.
final class HeldDisk: Sendable {
    /// What becomes of a call.
    enum Rule: Sendable {
        case hold
        case fail(Int32)
    }

    private struct State: Sendable {
        var rule: @Sendable (Disk.Request) -> Rule? = { _ in nil }
        /// The calls that stand still, in the order of their arrival.
        var held: [Disk.Request] = []
    }

    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    var disk: Disk {
        Disk(asking: { request in
            let rule = self.state.withLock { state in
                let rule = state.rule(request)
                if case .hold? = rule { state.held.append(request) }
                return rule
            }
            switch rule {
            case .hold?:
                self.gate.wait()
                return nil
            case .fail(let number)?:
                return .failure(number)
            case nil:
                return nil
            }
        })
    }

    /// The calls that stand still.
    var held: [Disk.Request] { self.state.withLock { $0.held } }

    /// Applies a rule to the calls from here on.
    func apply(_ rule: @escaping @Sendable (Disk.Request) -> Rule?) {
        self.state.withLock { $0.rule = rule }
    }

    /// Lets the held calls happen, and applies another rule from here on.
    func letGo(_ rule: @escaping @Sendable (Disk.Request) -> Rule? = { _ in nil }) {
        let count = self.state.withLock { state in
            defer { state.held = [] }
            state.rule = rule
            return state.held.count
        }
        for _ in 0..<count { self.gate.signal() }
    }
}

/// Work that waits until the test runs it.
final class WorkList: Sendable {
    private let works = Locked<[@Sendable () -> Void]>([])

    var count: Int { self.works.withLock { $0.count } }

    /// Takes a piece of work, as `Journal.Options.aside` does.
    func add(_ work: @escaping @Sendable () -> Void) {
        self.works.withLock { $0.append(work) }
    }

    /// Runs what waits now.
    func run() {
        let works = self.works.withLock { works in
            defer { works = [] }
            return works
        }
        for work in works { work() }
    }
}
