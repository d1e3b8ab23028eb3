// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension BatchRecord {
    /// Returns two batches with the same head and half of the events each; their sizes are not measured yet.
    ///
    /// Each has an id of its own: an id stands for the same bytes for ever.
    ///
    /// - Parameters:
    ///   - firstID: The id of the older half.
    ///   - secondID: The id of the newer half.
    /// - Returns: The halves; nil for a single event, for a former dead letter, and if the app has removed or added
    ///   events.
    func halves(_ firstID: UUID, _ secondID: UUID) -> (first: BatchRecord, second: BatchRecord)? {
        let sequences = self.sequences.prefix(self.sequences.count)
        let older = sequences.prefix(sequences.count / 2)
        let newer = sequences.dropFirst(older.count)
        guard !older.isEmpty else { return nil }
        let contents: (Content, Content)
        switch self.content {
        case .head(let head):
            guard let first = BatchBody.rename(head, to: firstID), let second = BatchBody.rename(head, to: secondID)
            else { return nil }
            contents = (.head(first), .head(second))
        case .whole(let body):
            guard let bodies = BatchBody.halves(of: body, (older.count, newer.count), (firstID, secondID)) else {
                return nil
            }
            contents = (.whole(bodies.first), .whole(bodies.second))
        }
        return (
            self.half(firstID, older, contents.0),
            self.half(secondID, newer, contents.1)
        )
    }

    private func half(_ id: UUID, _ sequences: ArraySlice<UInt64>, _ content: Content) -> BatchRecord {
        BatchRecord(
            id: id,
            installation: self.installation,
            mpid: self.mpid,
            sequences: SequenceList(Array(sequences)),
            events: sequences.count,
            size: self.size,
            content: content,
            removals: self.removals
        )
    }
}

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
        for half in [first, second] { self.batches[half.id] = Batch(batch, half) }
        self.lines[slot].batches.replaceSubrange(place...place, with: [first.id, second.id])
        for request in self.requests.values where request.batches.contains(id) {
            let batches = request.batches.map { $0 == id ? first.id : $0 }
            self.requests[request.number] = Request(number: request.number, batches: batches)
        }
    }
}

extension UploadStateMachine.Batch {
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
