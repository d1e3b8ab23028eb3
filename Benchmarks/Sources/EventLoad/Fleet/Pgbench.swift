// SPDX-License-Identifier: Apache-2.0

#if Fleet
import FoundationEssentials

/// The load generator of PostgreSQL, with a script of ours.
enum Pgbench {
    /// Runs a script again and again.
    ///
    /// - Parameters:
    ///   - script: One transaction; `:n` is a number below `rows`.
    ///   - clients: Connections at once.
    ///   - rows: The number of installations.
    ///   - seconds: The time.
    ///   - url: The database.
    ///   - workspace: Has the script's file.
    /// - Returns: Transactions a second.
    /// - Throws: ``LoadError``.
    static func rate(
        of script: String,
        clients: Int,
        rows: Int,
        seconds: Int,
        at url: String,
        in workspace: Workspace
    ) throws -> Double {
        let file = workspace.fresh("pgbench")
        try Data("\\set n random(0, \(rows - 1))\n\(script)\n".utf8).write(to: URL(filePath: file))
        let process = try ChildProcess(
            [
                "-n", "-M", "prepared", "-c", String(clients), "-j", String(min(clients, 2)), "-T", String(seconds),
                "-f", file, url,
            ],
            program: "pgbench",
            in: workspace
        )
        var rate: Double?
        while let line = process.readLine() {
            if line.hasPrefix("tps = ") { rate = line.dropFirst(6).split(separator: " ").first.flatMap { Double($0) } }
        }
        process.end()
        guard let rate, rate > 0 else { throw LoadError("pgbench has measured nothing") }
        return rate
    }
}
#endif
