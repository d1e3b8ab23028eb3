// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

extension UploadStateMachine {
    /// Replaces an answered batch by two: the second one follows the first, before all others of its installation.
    ///
    /// The first one takes its place in its request too, which the caller then finishes as `apart`.
    mutating func halve(_ id: UUID, _ first: BatchRecord, _ second: BatchRecord) {
        guard let batch = self.batches.removeValue(forKey: id), let slot = self.lines.find(batch.installation),
            let place = self.lines[slot].batches.firstIndex(of: id)
        else { return }
        for half in [first, second] { self.batches[half.id] = QueuedBatch(batch, half) }
        self.lines[slot].batches.replaceSubrange(place...place, with: [first.id, second.id])
        self.requests.replace(id, by: first.id)
    }
}

extension QueuedBatch {
    fileprivate init(_ batch: Self, _ half: BatchRecord) {
        self.init(
            installation: batch.installation,
            mpid: batch.mpid,
            first: half.sequences.first ?? 0,
            events: half.events,
            bytes: half.size,
            order: batch.order,
            isAlone: true
        )
    }
}
