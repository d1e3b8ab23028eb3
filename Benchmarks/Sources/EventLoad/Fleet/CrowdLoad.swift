// SPDX-License-Identifier: Apache-2.0

#if Fleet
import Glibc
import Signet

/// Opens of visitors who were never there, on some replicas in turn.
final class CrowdLoad: Sendable {
    /// The outcomes of some opens.
    struct Outcome: Sendable {
        /// The opens that succeeded.
        var opened = Histogram()
        /// The opens that failed, from the call on.
        var refused = Histogram()
        /// The same, from the moment on at which the visitor came: before its task has a thread.
        var refusedSinceArrival = Histogram()
        var codes: [SignetError.Code: Int] = [:]
        /// Those that succeeded before the time was over.
        fileprivate(set) var inTime = 0
        fileprivate(set) var seconds = 0.0
        fileprivate(set) var begun = 0

        /// The opens that succeeded in the time, each second.
        var rate: Double { Double(self.inTime) / self.seconds }
        var offered: Double { Double(self.begun) / self.seconds }
    }

    private struct State {
        var visitors = 0
        var outcome = Outcome()
        var ended = 0
        /// The moment at which the last open has succeeded.
        var lastOpened: UInt64 = 0
    }

    private let replicas: [SignetRuntime]
    private let state = Lock(State())

    init(_ replicas: [SignetRuntime]) {
        self.replicas = replicas
    }

    /// Opens visitors, so many at once.
    ///
    /// - Parameters:
    ///   - tasks: The opens at once.
    ///   - seconds: The time.
    ///   - rate: The tasks a second that a thread begins meanwhile and that open nothing: what the generator of a crowd takes.
    /// - Returns: The outcome.
    /// - Throws: ``LoadError`` if the system gives no thread.
    func capacity(tasks: Int, seconds: Double, beside rate: Double = 0) async throws -> Outcome {
        let began = Nanoseconds.now
        let end = began + UInt64(seconds * 1e9)
        self.begin()
        if rate > 0 {
            try OSThread { [idle = CrowdLoad([])] in _ = idle.begin(rate, seconds: seconds) }.detach()
        }
        await withDiscardingTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask {
                    while Nanoseconds.now < end { await self.open(until: end, arrived: Nanoseconds.now) }
                }
            }
        }
        return self.outcome(after: seconds)
    }

    /// Begins so many opens a second, on a thread of its own, whatever becomes of them.
    func offer(_ rate: Double, seconds: Double) async throws -> Outcome {
        try await self.onThread { self.begin(rate, seconds: seconds) }
        return self.outcome(after: seconds)
    }

    /// Begins opens all at once, on a thread of its own.
    ///
    /// - Returns: Their outcome, with the time until the last one that succeeded.
    func burst(_ count: Int) async throws -> Outcome {
        let began = Nanoseconds.now
        try await self.onThread {
            for _ in 0..<count {
                let arrived = Nanoseconds.now
                Task { await self.open(until: .max, arrived: arrived) }
            }
            return count
        }
        let last = self.state.withLock { $0.lastOpened }
        return self.outcome(after: Double(max(last, began + 1) - began) / 1e9)
    }

    /// Waits for opens that a thread begins.
    private func onThread(_ body: @escaping @Sendable () -> Int) async throws {
        self.begin()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                let thread = try OSThread {
                    let count = body()
                    while self.state.withLock({ $0.ended }) < count { usleep(1_000) }
                    continuation.resume()
                }
                thread.detach()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Begins opens until the time is over.
    ///
    /// - Returns: Their number.
    private func begin(_ rate: Double, seconds: Double) -> Int {
        let began = Nanoseconds.now
        let end = began + UInt64(seconds * 1e9)
        var count = 0
        while true {
            let now = Nanoseconds.now
            guard now < end else { return count }
            let due = Int(Double(now - began) / 1e9 * rate)
            while count < due {
                count += 1
                let arrived = Nanoseconds.now
                Task { await self.open(until: end, arrived: arrived) }
            }
            usleep(1_000)
        }
    }

    /// The seconds until each replica has opened a visitor.
    func recovery() async throws -> Double {
        let began = Nanoseconds.now
        for number in self.replicas.indices {
            while let code = await self.failure(on: number) {
                guard Nanoseconds.now < began + 60_000_000_000 else { throw LoadError("no open in a minute: \(code)") }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        return Double(Nanoseconds.now - began) / 1e9
    }

    private func begin() {
        self.state.withLock { ($0.outcome, $0.ended, $0.lastOpened) = (Outcome(), 0, 0) }
    }

    private func outcome(after seconds: Double) -> Outcome {
        self.state.withLock { state in
            state.outcome.seconds = seconds
            state.outcome.begun = state.ended
            return state.outcome
        }
    }

    private func open(until end: UInt64, arrived: UInt64) async {
        let called = Nanoseconds.now
        let failure = await self.failure()
        let now = Nanoseconds.now
        self.state.withLock { state in
            state.ended += 1
            if let failure {
                state.outcome.refused.record(now - called)
                state.outcome.refusedSinceArrival.record(now - arrived)
                state.outcome.codes[failure, default: 0] += 1
            } else {
                state.outcome.opened.record(now - called)
                state.lastOpened = max(state.lastOpened, now)
                if now <= end { state.outcome.inTime += 1 }
            }
        }
    }

    /// Opens a visitor.
    ///
    /// - Parameter replica: The index of the replica; nil for each in turn.
    /// - Returns: The error; nil if it is open.
    private func failure(on replica: Int? = nil) async -> SignetError.Code? {
        let number = self.state.withLock { state in
            state.visitors += 1
            return state.visitors
        }
        guard !self.replicas.isEmpty else { return nil }
        let replica = self.replicas[replica ?? number % self.replicas.count]
        do throws(SignetError) {
            _ = try await replica.open(Crowd.id(number), identify: .none)
            return nil
        } catch {
            return error.code
        }
    }
}
#endif
