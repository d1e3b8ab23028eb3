// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension RuntimeManagers {
    /// Finishes resets of installations of which no event and no batch is left, with one flush for each step.
    ///
    /// - Parameters:
    ///   - resets: The resets, recorded on disk.
    ///   - scattered: Their records that only a scan finds.
    ///   - context: The parts that the runtime shares.
    /// - Throws: `SignetError` from the disk; then the resets stand, and ``finishResets(_:)`` finishes them.
    func finish(
        quiet resets: [InstallationReset],
        _ scattered: ScatteredRecords,
        _ context: RuntimeContext
    ) async throws(SignetError) {
        guard !resets.isEmpty else { return }
        // The records of the resets must survive a loss of power before any data is removed.
        try await context.syncTogether()
        var rest = resets[...]
        while !rest.isEmpty {
            // In pieces, so that flushes of callers come between.
            let piece = rest.prefix(256)
            try await context.disk.perform { () throws(SignetError) in
                for reset in piece {
                    let records = try self.removeState(of: reset, context, scattered)
                    context.statistics.recordsErased(records, self.linked.stored)
                }
            }
            rest = rest.dropFirst(256)
        }
        await self.events.forget(resets)
        try await context.syncTogether()
        try await context.disk.perform { () throws(SignetError) in
            for reset in resets {
                try reset.end(in: context.store)
                self.resets.withLock { $0.finished(reset) }
            }
        }
    }

    /// Retries those that an error of the disk cut short in this process.
    func finishQuietResets(_ context: RuntimeContext) async {
        let resets = self.resets.withLock { $0.quiet }.sorted { $0.number < $1.number }
        guard !resets.isEmpty else { return }
        do throws(SignetError) {
            let scattered = try await context.disk.perform { () throws(SignetError) in
                try ScatteredRecords(of: resets, in: context.store)
            }
            try await self.finish(quiet: resets, scattered, context)
        } catch {
            // They stay for the next attempt, or the next start.
            context.health.failed(error.code)
        }
    }
}
