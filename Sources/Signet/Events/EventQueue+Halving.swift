//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension EventQueue {
    /// The platform takes the events of a batch, but not so many at once (413): two go in its place, the older half first.
    ///
    /// - Returns: False where it cannot be halved; then nothing was changed.
    func halve(_ record: BatchRecord) throws(SignetError) -> Bool {
        guard let halves = record.halves(UUID.random()) else { return false }
        let (first, second) = (try self.measured(halves.first), try self.measured(halves.second))
        // The second one first: after a kill between the two it is found behind the whole batch, and empty when its turn comes.
        for half in [second, first] { try self.services.store.put(half.encoded(), for: StateKey.batch(half.id)) }
        for half in [first, second] { self.held[half.id] = InFlightBatch(record: half, isRepeated: true) }
        self.machine.halve(first.id, UploadStateMachine.Half(first), second.id, UploadStateMachine.Half(second))
        return true
    }

    private func measured(_ half: BatchRecord) throws(SignetError) -> BatchRecord {
        let body = try self.services.body(of: half)
        return half.replacing(events: body?.events ?? 0, size: body?.bytes.count ?? 0, content: half.content)
    }
}

extension BatchRecord {
    /// Two batches with the same head and half of the events each; their sizes are still to be measured.
    ///
    /// The older half keeps the id: the platform has taken nothing under it.
    ///
    /// - Parameter id: The id of the newer half.
    /// - Returns: Nil for a single event, for what is sent again after it was set aside, and where the app has left out events
    ///   or added some.
    func halves(_ id: UUID) -> (first: BatchRecord, second: BatchRecord)? {
        let sequences = self.sequences.prefix(self.sequences.count)
        let older = sequences.prefix(sequences.count / 2)
        let newer = sequences.dropFirst(older.count)
        guard !older.isEmpty else { return nil }
        let contents: (Content, Content)
        switch self.content {
        case .head(let head):
            guard let renamed = BatchBody.rename(head, to: id) else { return nil }
            contents = (self.content, .head(renamed))
        case .whole(let body):
            guard let bodies = BatchBody.halves(of: body, (older.count, newer.count), id) else { return nil }
            contents = (.whole(bodies.first), .whole(bodies.second))
        }
        return (
            self.half(self.id, older, contents.0),
            self.half(id, newer, contents.1)
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
    /// What the machine knows of one half of a batch.
    struct Half: Sendable {
        /// Its oldest event.
        let first: UInt64
        /// How many events it has.
        let events: Int
        /// The bytes of its body.
        let bytes: Int

        init(_ record: BatchRecord) {
            (self.first, self.events, self.bytes) = (record.sequences.first ?? 0, record.events, record.size)
        }
    }

    /// A batch that was answered goes as two: the second one right after the first, and before all others of its line.
    mutating func halve(_ id: UUID, _ first: Half, _ second: UUID, _ newer: Half) {
        guard let batch = self.batches[id], let slot = self.lines.find(batch.installation),
            let place = self.lines[slot].batches.firstIndex(of: id)
        else { return }
        self.batches[id] = Batch(batch, first)
        self.batches[second] = Batch(batch, newer)
        self.lines[slot].batches.insert(second, at: place + 1)
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
