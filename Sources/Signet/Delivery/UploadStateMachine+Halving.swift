// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

extension UploadStateMachine {
    /// The machine's view of one half of a batch.
    struct Half: Sendable {
        /// Its id.
        let id: UUID
        /// Its oldest event.
        let first: UInt64
        /// The number of events.
        let events: Int
        /// The bytes of its body.
        let bytes: Int

        init(_ record: BatchRecord) {
            (self.id, self.first) = (record.id, record.sequences.first ?? 0)
            (self.events, self.bytes) = (record.events, record.size)
        }
    }

    /// Replaces an answered batch by two: the second one follows the first, before all others of its installation.
    ///
    /// The first one takes its place in its request too, which the caller then finishes as `apart`.
    mutating func halve(_ id: UUID, _ first: Half, _ second: Half) {
        guard let batch = self.batches.removeValue(forKey: id), let slot = self.lines.find(batch.installation),
            let place = self.lines[slot].batches.firstIndex(of: id)
        else { return }
        for half in [first, second] { self.batches[half.id] = QueuedBatch(batch, half) }
        self.lines[slot].batches.replaceSubrange(place...place, with: [first.id, second.id])
        for request in self.requests.values where request.batches.contains(id) {
            let batches = request.batches.map { $0 == id ? first.id : $0 }
            self.requests[request.number] = Request(number: request.number, batches: batches)
        }
    }
}

extension QueuedBatch {
    fileprivate init(_ batch: Self, _ half: UploadStateMachine.Half) {
        self.init(
            installation: batch.installation,
            mpid: batch.mpid,
            first: half.first,
            events: half.events,
            bytes: half.bytes,
            order: batch.order,
            isAlone: true
        )
    }
}
