// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Signet

/// What tasks that wait for the disk leave of the cooperative pool to others.
struct HeldDiskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "held-disk",
        abstract: "Tasks give way to others and log, alone and beside 64 tasks that wait for the disk all the time.",
        discussion: """
            64 tasks call sync() in a loop, each time after an event of their own. The flushes are real; nothing makes the \
            disk slower than it is. The floor blocks: 64 tasks do write(2) and fdatasync(2) on the threads of the pool. The \
            ratio to the rate alone says what is left, so 1 is the most; the flushes take processor time too.

            Example: event-load held-disk --seconds 5
            """
    )

    @OptionGroup var options: LoadOptions

    private static let waiting = 64

    func run() async throws {
        try await LoadTest.perform("held-disk", self.options) { test in
            var results = Results()
            try await test.eachRun { run in
                test.note(run, "alone")
                let alone = try await self.measure(test) { _, _ in nil }
                results.add("alone", alone.measures(of: nil))
                test.note(run, "beside 64 tasks that block the pool")
                let blocked = try await self.besideBlocked(test)
                results.add("floor: beside 64 tasks in fdatasync(2)", blocked.measures(of: alone))
                test.note(run, "beside 64 tasks in sync()")
                let beside = try await self.measure(test) { runtime, task in
                    let installation = try await runtime.open(Crowd.id(task + 1), identify: .none)
                    return { number in
                        try installation.log(SampleEvent.make(producer: task, number: number))
                        try await runtime.sync()
                    }
                }
                results.add("beside 64 tasks in sync()", beside.measures(of: alone))
            }
            results.note("A turn gives way to other tasks once; every 64th logs an event.")
            return results
        }
    }

    private var seconds: Double { self.options.seconds ?? 2 }

    /// What the measured task and those beside it have done.
    private struct Rates: Sendable {
        let turns: Double
        let flushed: Double
        let longest: UInt64

        func measures(of alone: Rates?) -> [Measure] {
            var measures = [
                Measure("turns of one task", "turns/s", self.turns),
                Measure("longest turn", "us", Double(self.longest) / 1000),
            ]
            if let alone {
                measures.append(Measure("turns / turns alone", "x", self.turns / alone.turns))
                measures.append(Measure("waits of the 64 tasks", "waits/s", self.flushed))
            }
            return measures
        }
    }

    /// Waits for the disk once; nil where no task does.
    private typealias Wait = @Sendable (_ number: Int) async throws -> Void

    private func besideBlocked(_ test: LoadTest) async throws -> Rates {
        let folder = test.workspace.fresh("blocked")
        guard mkdir(folder, 0o700) == 0 else { throw LoadError(system: "mkdir \(folder)") }
        let rates = try await self.measure(test) { _, task in
            let file = try OwnFile("\(folder)/\(task)")
            return { _ in try file.flush() }
        }
        try test.workspace.remove(folder)
        return rates
    }

    private func measure(
        _ test: LoadTest,
        beside makeWait: @escaping @Sendable (SignetRuntime, _ task: Int) async throws -> Wait?
    ) async throws -> Rates {
        let directory = test.workspace.fresh("held")
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        let installation = try await runtime.open(Crowd.id(0), identify: .none)
        let deadline = Nanoseconds.now + UInt64(self.seconds * 1e9)
        let rates = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<Self.waiting {
                guard let wait = try await makeWait(runtime, task) else { break }
                group.addTask {
                    var count = 0
                    while Nanoseconds.now < deadline {
                        try await wait(count)
                        count += 1
                    }
                    return count
                }
            }
            async let turns = Self.turn(installation, until: deadline)
            var flushed = 0
            for try await count in group { flushed += count }
            let (count, longest) = try await turns
            return Rates(
                turns: Double(count) / self.seconds,
                flushed: Double(flushed) / self.seconds,
                longest: longest
            )
        }
        await runtime.shutdown()
        try test.workspace.remove(directory)
        return rates
    }

    @concurrent
    private static func turn(
        _ installation: Installation,
        until deadline: UInt64
    ) async throws -> (count: Int, longest: UInt64) {
        var (count, longest, last) = (0, UInt64(0), Nanoseconds.now)
        while last < deadline {
            await Task.yield()
            // Not each time: the events alone would fill the disk.
            if count.isMultiple(of: 64) { try installation.log(SampleEvent.make(producer: 0, number: count)) }
            count += 1
            let now = Nanoseconds.now
            longest = max(longest, now - last)
            last = now
        }
        return (count, longest)
    }
}

/// A file that one task writes and flushes, on the thread that it runs on.
private final class OwnFile: Sendable {
    private let file: CInt
    private static let frame = [UInt8](repeating: UInt8(ascii: "x"), count: 450)

    init(_ path: String) throws {
        self.file = try FileBytes.create(path)
    }

    deinit {
        close(self.file)
    }

    func flush() throws {
        try Self.frame.withUnsafeBytes { try FileBytes.write($0, to: self.file) }
        guard fdatasync(self.file) == 0 else { throw LoadError(system: "fdatasync") }
    }
}
