// SPDX-License-Identifier: Apache-2.0

import Glibc
import Signet

/// How events are logged: by tasks of Swift's pool or by threads of the system, each with an installation or all with one.
struct Producers: Sendable {
    /// What calls `log`.
    enum Kind: Sendable {
        /// Tasks; each gives way to the others every 128 events, if there are others.
        case tasks(Int)
        /// Threads that nobody but the system schedules.
        case threads(Int)

        var count: Int {
            switch self {
            case .tasks(let count), .threads(let count): count
            }
        }

        var name: String {
            switch self {
            case .tasks(1): "1 task"
            case .tasks(let count): "\(count) tasks"
            case .threads(let count): "\(count) threads"
            }
        }
    }

    /// What all producers together have done.
    struct Outcome: Sendable {
        /// How many events each of them logged.
        var counts: [Int] = []
        var histogram = Histogram()

        var total: Int { self.counts.reduce(0, +) }
    }

    let kind: Kind
    /// Shared out evenly; if they are fewer than the producers, several producers have the same one.
    let installations: [Installation]

    /// Logs events.
    ///
    /// - Parameters:
    ///   - events: How many, all producers together.
    ///   - deadline: When to end instead.
    ///   - isTimed: Whether each call is timed.
    /// - Returns: What they did.
    /// - Throws: What a system call or the runtime says.
    func run(events: Int, deadline: UInt64? = nil, isTimed: Bool = false) async throws -> Outcome {
        let count = self.kind.count
        let make: @Sendable (Int) -> Producer = { number in
            Producer(
                number,
                self.share(of: number),
                quota: events / count + (number < events % count ? 1 : 0),
                deadline: deadline,
                isTimed: isTimed
            )
        }
        let parts: [(number: Int, count: Int, histogram: Histogram)]
        switch self.kind {
        case .tasks: parts = try await Self.tasks(count, make)
        case .threads: parts = try await Self.threads(count, make)
        }
        var outcome = Outcome(counts: Array(repeating: 0, count: count))
        for part in parts {
            outcome.counts[part.number] = part.count
            outcome.histogram.merge(part.histogram)
        }
        return outcome
    }

    private func share(of number: Int) -> [Installation] {
        let (all, count) = (self.installations, self.kind.count)
        guard all.count > count else { return [all[number % all.count]] }
        return stride(from: number, to: all.count, by: count).map { all[$0] }
    }

    private static func tasks(
        _ count: Int,
        _ make: @escaping @Sendable (Int) -> Producer
    ) async throws -> [(number: Int, count: Int, histogram: Histogram)] {
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let producer = make(number)
                    while try producer.work() { if count > 1 { await Task.yield() } }
                    return (number, producer.count, producer.histogram)
                }
            }
            var parts: [(number: Int, count: Int, histogram: Histogram)] = []
            for try await part in group { parts.append(part) }
            return parts
        }
    }

    private static func threads(
        _ count: Int,
        _ make: @escaping @Sendable (Int) -> Producer
    ) async throws -> [(number: Int, count: Int, histogram: Histogram)] {
        typealias Part = Result<(number: Int, count: Int, histogram: Histogram), any Error>
        let parts: [Part] = try await withCheckedThrowingContinuation { continuation in
            let parts = Lock<[Part]>([])
            do {
                for number in 0..<count {
                    let thread = try OSThread {
                        let producer = make(number)
                        let part = Part {
                            while try producer.work() {}
                            return (number, producer.count, producer.histogram)
                        }
                        // Who is the last one tells.
                        let all = parts.withLock { parts in
                            parts.append(part)
                            return parts.count == count ? parts : nil
                        }
                        if let all { continuation.resume(returning: all) }
                    }
                    thread.detach()
                }
            } catch {
                // Threads that run already would tell too: without all of them there is nothing to measure.
                Progress.complain("\(error)")
                _exit(1)
            }
        }
        return try parts.map { try $0.get() }
    }
}
