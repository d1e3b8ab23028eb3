// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// ``SegmentPackage``, built.
struct SegmentProgram {
    private let path: String
    private let workspace: Workspace

    /// Generates the package and builds it; the package manager fetches what the checkout depends on.
    ///
    /// - Parameters:
    ///   - checkout: The folder of analytics-swift.
    ///   - workspace: A place for the package.
    /// - Throws: ``LoadError`` when the folder is none or the build fails.
    init(checkout: String, in workspace: Workspace) throws {
        guard let resolved = realpath(checkout, nil) else { throw LoadError(system: "--segment \(checkout)") }
        defer { free(resolved) }
        let package = SegmentPackage(checkout: String(cString: resolved))
        let folder = workspace.fresh("segment")
        try FileManager.default.createDirectory(atPath: "\(folder)/Sources", withIntermediateDirectories: true)
        try Self.write(package.manifest, to: "\(folder)/Package.swift")
        try Self.write(package.program, to: "\(folder)/Sources/main.swift")
        let build = try ChildProcess(
            ["build", "-c", "release", "--package-path", folder, "--product", SegmentPackage.product],
            program: "swift",
            in: workspace
        )
        var log: [String] = []
        while let line = build.readLine() { log.append(line) }
        build.end()
        self.path = "\(folder)/.build/release/\(SegmentPackage.product)"
        self.workspace = workspace
        guard FileManager.default.fileExists(atPath: self.path) else {
            throw LoadError("the program of --segment does not build:\n" + log.suffix(40).joined(separator: "\n"))
        }
    }

    /// Logs events in a process of its own.
    ///
    /// - Parameter events: Their number.
    /// - Returns: Its figures, the bytes on disk and the events that stand there.
    /// - Throws: ``LoadError`` when it says no figures.
    func run(events: Int) throws -> (figures: SegmentFigures, bytes: Int, found: Int) {
        let folder = self.workspace.fresh("segment-events")
        // Its settings go to the home folder: to one of this run.
        let child = try ChildProcess(
            ["HOME=\(self.workspace.path)", self.path, folder, "\(events)"],
            program: "env",
            in: self.workspace
        )
        var figures: SegmentFigures?
        while let line = child.readLine() { figures = SegmentFigures(line: line) ?? figures }
        child.end()
        guard let figures else { throw LoadError("the program of --segment has printed no figures") }
        var bytes = 0
        var found = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let file = try FileBytes.read("\(folder)/\(name)")
            bytes += file.count
            found += file.withUnsafeBytes { Bytes.count("\"level_up\"", in: $0) }
        }
        try self.workspace.remove(folder)
        return (figures, bytes, found)
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try FileBytes.create(path)
        defer { close(file) }
        try Array(text.utf8).withUnsafeBytes { try FileBytes.write($0, to: file) }
    }
}
