// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Signet

/// Signet beside what an app would do without it.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Logs the same events by Signet, to a plain file, and by Segment's analytics-swift.",
        discussion: """
            One task, one installation, nothing is sent. Each of the three has an event in the page cache when a call returns: \
            it survives a kill of the process, not a loss of power. The plain file is JSONEncoder, write(2) and a newline. \
            --segment is a checkout of analytics-swift: a package that depends on it is generated, built with `swift build` and \
            run in a process of its own; its own dependencies are fetched.

            Example: event-load compare --events 200000 --segment ../analytics-swift
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: ArgumentHelp("A checkout of Segment's analytics-swift.", valueName: "folder"))
    var segment: String?

    private static let plain = "plain file: JSONEncoder, write, newline"
    private static let segmentName = "Segment analytics-swift"

    func validate() throws {
        guard self.options.seconds == nil else { throw ValidationError("compare ends by --events, not by --seconds.") }
    }

    func run() async throws {
        try await LoadTest.perform("compare", self.options) { test in
            var results = Results()
            var program: SegmentProgram?
            if let segment, self.options.includes(Self.segmentName) {
                test.progress.show("building the program of --segment")
                program = try SegmentProgram(checkout: segment, in: test.workspace)
            }
            try await test.eachRun { run in
                test.note(run, Self.plain)
                let (plain, measures) = try self.measurePlainFile(test)
                results.add(Self.plain, measures)
                test.note(run, "Signet")
                results.add("Signet", try await self.measureSignet(plain, test, &results))
                guard let program else { return }
                test.note(run, Self.segmentName)
                results.add(Self.segmentName, try self.measure(program, plain, &results))
            }
            if program == nil { results.add("\(Self.segmentName): not measured, --segment names no checkout", []) }
            return results
        }
    }

    private var events: Int { self.options.events ?? 200_000 }
    private var timed: Int { max(1000, self.events / 4) }

    private func measurePlainFile(_ test: LoadTest) throws -> (Span, [Measure]) {
        let path = test.workspace.fresh("plain")
        let file = try PlainFile(path: path)
        for number in 0..<1000 { try file.log(number) }
        let began = Nanoseconds.now
        let worked = ProcessorTime.own
        for number in 0..<self.events { try file.log(number) }
        let span = Span(wall: Double(Nanoseconds.now - began) / 1e9, processor: ProcessorTime.own - worked)
        var calls = Histogram()
        for number in 0..<self.timed {
            let began = Nanoseconds.now
            try file.log(number)
            calls.record(Nanoseconds.now - began)
        }
        let bytes = try FileBytes.read(path).count
        try test.workspace.remove(path)
        return (span, self.measures(span, span) + .latency(calls) + [self.size(bytes, 1000 + self.events + self.timed)])
    }

    private func measureSignet(_ plain: Span, _ test: LoadTest, _ results: inout Results) async throws -> [Measure] {
        let directory = test.workspace.fresh("compare")
        let runtime = try SignetRuntime(Crowd.configuration(directory), transport: CountingTransport())
        let installations = try await Crowd.open(1, of: runtime)
        let producers = Producers(kind: .tasks(1), installations: installations)
        _ = try await producers.run(events: 1000)
        let (span, _) = try await Span.of { try await producers.run(events: self.events) }
        let calls = try await producers.run(events: self.timed, isTimed: true).histogram
        await runtime.shutdown()
        var found = 0
        let files = try JournalFiles.read(in: directory) { if EventText($0) != nil { found += 1 } }
        let total = 1000 + self.events + self.timed
        if found != total { results.fail("Signet: \(found) of \(total) events stand in the files") }
        try test.workspace.remove(directory)
        return self.measures(span, plain) + .latency(calls) + [self.size(files.bytes, total)]
    }

    private func measure(_ program: SegmentProgram, _ plain: Span, _ results: inout Results) throws -> [Measure] {
        let (figures, bytes, found) = try program.run(events: self.events)
        let total = SegmentPackage.total(of: self.events)
        if found != total { results.fail("\(Self.segmentName): \(found) of \(total) events stand in the files") }
        let span = Span(wall: figures.wall, processor: figures.processor)
        return self.measures(span, plain) + [
            Measure("call p50", "us", figures.p50 / 1000),
            Measure("call p99", "us", figures.p99 / 1000),
            Measure("call p99.9", "us", figures.p999 / 1000),
            self.size(bytes, total),
        ]
    }

    private func measures(_ span: Span, _ plain: Span) -> [Measure] {
        .work(self.events, span) + [
            Measure("time / plain file", "x", span.wall / plain.wall),
            Measure("CPU / plain file", "x", span.processor / plain.processor),
        ]
    }

    private func size(_ bytes: Int, _ events: Int) -> Measure {
        Measure("on disk per event", "bytes", Double(bytes) / Double(events))
    }
}
