// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// One scenario under way: where it works, what it has been told, what it has measured.
struct LoadTest: Sendable {
    let scenario: String
    let options: LoadOptions
    let progress: Progress
    let workspace: Workspace

    /// Runs a scenario in a folder of its own, prints its table and writes its JSON.
    ///
    /// Whatever happens, the folder and the child processes are gone afterwards, also after a signal.
    ///
    /// - Parameters:
    ///   - scenario: Its name.
    ///   - options: What it was told.
    ///   - body: Measures.
    /// - Throws: What a system call or the runtime says.
    static func perform(
        _ scenario: String,
        _ options: LoadOptions,
        _ body: (LoadTest) async throws -> Results
    ) async throws {
        let workspace = try Workspace(in: options.directory, named: "event-load-\(scenario)")
        let interruption = try Interruption { workspace.clear() }
        defer { workspace.clear() }
        let test = LoadTest(
            scenario: scenario,
            options: options,
            progress: Progress(scenario: scenario),
            workspace: workspace
        )
        let machine = Machine(folder: workspace.path)
        var results = try await body(test)
        let measured = results.series.filter { !$0.figures.isEmpty }.map(\.name)
        if let complaint = options.complaint(measured: measured) { results.fail(complaint) }
        test.progress.end()
        let report = Report(scenario: scenario, options: options, machine: machine, results: results)
        print(Table(report).text)
        if let file = options.json { try report.write(to: file) }
        withExtendedLifetime(interruption) {}
        if !results.failures.isEmpty { throw ExitCode(1) }
    }

    /// Does everything as often as asked for.
    func eachRun(_ body: (_ run: Int) async throws -> Void) async throws {
        for run in 1...self.options.runs { try await body(run) }
    }

    /// Tells where a run is.
    func note(_ run: Int, _ text: String) {
        self.progress.show("run \(run) of \(self.options.runs): \(text)")
    }

    /// When a run that began now must end; nil when it ends by its events.
    var deadline: UInt64? {
        self.options.seconds.map { Nanoseconds.now + UInt64($0 * 1e9) }
    }
}
