// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// Replaces a batch on disk by two halves: it is too large (413), or holds events that the platform refuses.
struct BatchHalving: Sendable {
    private let context: RuntimeContext
    private let maker: BatchMaker

    init(_ context: RuntimeContext, _ maker: BatchMaker) {
        self.context = context
        self.maker = maker
    }

    /// Writes the halves down, and removes the batch.
    ///
    /// - Parameters:
    ///   - record: The batch.
    ///   - refusals: The refusals that count for both halves.
    /// - Returns: The halves, the older one first; nil if it cannot be halved: then nothing was changed.
    /// - Throws: The error of the disk.
    func halve(
        _ record: BatchRecord,
        _ refusals: UnexplainedRefusals? = nil
    ) throws(SignetError) -> (first: BatchRecord, second: BatchRecord)? {
        guard let halves = record.halves(UUID.random(), UUID.random()) else { return nil }
        let measured = (try self.measured(halves.first), try self.measured(halves.second))
        let (first, second) = refusals.map { (measured.0.refused($0), measured.1.refused($0)) } ?? measured
        // In this order: after a kill in between, the whole batch comes before its halves, which are empty when their turn comes.
        for half in [second, first] { try self.context.store.put(half.encoded(), for: StateKey.batch(half.id)) }
        try self.context.store.remove(StateKey.batch(record.id))
        return (first, second)
    }

    private func measured(_ half: BatchRecord) throws(SignetError) -> BatchRecord {
        let body = try self.maker.body(of: half)
        return half.replacing(events: body?.events ?? 0, size: body?.bytes.count ?? 0, content: half.content)
    }
}
