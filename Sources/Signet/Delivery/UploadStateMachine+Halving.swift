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
        self.refusedBatches.halved(id, of: batch.installation, into: [first.id, second.id])
    }

    /// The consequence of a refusal of one batch.
    enum RefusedStep: Sendable, Hashable {
        /// Half of it may be taken.
        case halve
        /// It rests as it is, as the platform may have taken it: its events would arrive again under other ids.
        case rest
        /// It is given up as it is.
        case giveUp
    }

    /// Judges a refusal of one batch, by the platform or by a proxy.
    mutating func refuse(_ id: UUID, _ verdict: DeliveryVerdict) -> RefusedStep {
        guard let batch = self.batches[id] else { return .giveUp }
        guard verdict == .refused else {
            // A limit of size has met it before, and the platform has not.
            return verdict == .unexplained && batch.mayBeTaken ? .rest : .halve
        }
        switch self.refusedBatches.refuse(id, of: batch.installation, events: batch.events) {
        case .halve: return .halve
        case .giveUp: return .giveUp
        }
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
