// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension EventServices {
    /// The result of an attempt to make a batch.
    struct Filling {
        /// The body so far.
        var buffer: BatchBuffer
        /// The number of planned events that are used: those in the batch and those that are gone, from the first on.
        var count: Int
        /// True when the first event is too long for a batch, even without the properties of its user.
        var isTooLong = false
        /// The number of the last removal of attributes that the batch reports; zero for none.
        var removals: Int64 = 0
        /// True when its user was ephemeral and has left.
        var hasDeparted = false
    }

    /// The most bytes of removed attributes that one batch reports; the others wait for the next.
    private static let removalsLimit = 4 * 1024

    /// The most bytes of a batch besides its events, with its user's identities; the rest of its 128 KB is for events.
    private static let headLimit = UploadLimits.batchBytes - 12 * 1024

    /// Fills a batch with as many events as fit (Events API v2: 128 KB a batch), at least one.
    func fill(
        _ cut: UploadStateMachine.BatchPlan,
        _ id: UUID,
        of installation: InstallationID?
    ) throws(SignetError) -> Filling {
        var user = BatchUser()
        if let installation { user = try self.users.user(installation, cut.mpid) }
        let context = self.contexts.context(cut.context).merging(try self.ownContext(cut.own))
        let removals = Self.removals(user.removals)
        var body = BatchBody(
            batchID: id,
            milliseconds: self.time.milliseconds,
            environment: context.environment ?? self.environment,
            mpid: cut.mpid,
            deviceApplicationStamp: user.deviceApplicationStamp,
            userAttributes: user.attributes,
            deletedUserAttributes: removals.keys,
            userIdentities: user.identities,
            consent: user.consent,
            sdkVersion: ClientInfo.signet.version,
            dataPlan: context.plan,
            attribution: user.attribution,
            application: context.application,
            device: context.device,
            deviceIdentities: user.deviceIdentities,
            ip: context.ip
        )
        var head = Self.head(body)
        // The MPID identifies the user: identities that leave no room for the events are left out.
        if head.count > Self.headLimit {
            (body.userIdentities, body.deviceIdentities) = ([:], [:])
            self.observer.corruptionDetected(
                "A batch omits the identities of its user to make room for the user's attributes."
            )
            head = Self.head(body)
        }
        var filling = try self.fill(cut, head)
        (filling.removals, filling.hasDeparted) = (removals.last, user.hasDeparted)
        guard filling.isTooLong else { return filling }
        if !(body.userIdentities.isEmpty && body.deviceIdentities.isEmpty) {
            (body.userIdentities, body.deviceIdentities) = ([:], [:])
            filling = try self.fill(cut, Self.head(body))
            (filling.removals, filling.hasDeparted) = (removals.last, user.hasDeparted)
            guard filling.isTooLong else {
                self.observer.corruptionDetected(
                    "A batch omits the identities of its user to make room for a long event."
                )
                return filling
            }
        }
        // The consent of the user is never left out.
        body.deletedUserAttributes = []
        (body.userAttributes, body.attribution) = ([:], nil)
        self.observer.corruptionDetected(
            "A batch omits the identities, attributes and attribution of its user to make room for a long event."
        )
        filling = try self.fill(cut, Self.head(body))
        filling.hasDeparted = user.hasDeparted
        return filling
    }

    /// Returns the context of the installation when the events were logged; nil if there is none or it is damaged.
    private func ownContext(_ number: UInt32) throws(SignetError) -> BatchContext? {
        guard number != 0 else { return nil }
        do throws(SignetError) {
            if let context = try self.ownContexts.context(number) { return context }
        } catch {
            guard error.isDamage else { throw error }
        }
        self.reportDamage("The context of an installation is lost. Its batch carries the context of the configuration.")
        return nil
    }

    /// Returns the oldest removals that fit in one batch; at least one.
    private static func removals(_ all: [(key: String, number: Int64)]) -> (keys: [String], last: Int64) {
        var bytes = 0
        var chosen = (keys: [String](), last: Int64(0))
        for (key, number) in all {
            // Each byte of a key takes at most six bytes of JSON.
            bytes += 6 * key.utf8.count + 3
            guard bytes <= Self.removalsLimit || chosen.keys.isEmpty else { break }
            chosen.keys.append(key)
            chosen.last = number
        }
        return chosen
    }

    /// The list of events comes last, so an empty batch ends with the closing bytes.
    private static func head(_ body: BatchBody) -> [UInt8] {
        Array(body.encoded(events: []).dropLast(BatchRecord.tail.count))
    }

    private func fill(_ cut: UploadStateMachine.BatchPlan, _ head: [UInt8]) throws(SignetError) -> Filling {
        var buffer = BatchBuffer(head: head, reserving: min(512 * cut.sequences.count, 96 * 1024))
        var firstLeft: UInt64?
        do throws(StorageError) {
            try self.journal.read(cut.sequences) { sequence, _, payload in
                guard firstLeft == nil else { return }
                // A single event may use more bytes than several may.
                let limit = buffer.events == 0 ? UploadLimits.batchBytes : self.limits.maximumBatchBytes
                if buffer.hasRoom(for: payload.count, limit) {
                    buffer.append(payload)
                } else {
                    firstLeft = sequence
                    // Added all the same, to become a dead letter.
                    if buffer.events == 0 { buffer.append(payload) }
                }
            }
        } catch {
            throw SignetError(error)
        }
        self.reportDamagedEvents()
        let count = firstLeft.map { left in cut.sequences.count { $0 < left } } ?? cut.sequences.count
        let isTooLong = buffer.bytes.count + BatchRecord.tail.count > UploadLimits.batchBytes
        return Filling(buffer: buffer, count: isTooLong ? count + 1 : count, isTooLong: isTooLong)
    }

    /// Returns the body of a written batch and the number of its events.
    ///
    /// An event that is gone was settled before a crash, and is left out. The result is nil if all are gone: there is
    /// nothing to send.
    func body(of record: BatchRecord) throws(SignetError) -> (bytes: [UInt8], events: Int)? {
        let sequences = record.sequences.prefix(record.sequences.count)
        switch record.content {
        case .whole(let bytes):
            guard !sequences.isEmpty else { return (bytes, record.events) }
            // Events that made room meanwhile are sent with the others, but count as dropped already.
            var waiting = 0
            do throws(StorageError) {
                try self.journal.read(sequences) { _, _, _ in waiting += 1 }
            } catch {
                throw SignetError(error)
            }
            return waiting > 0 ? (bytes, min(waiting, record.events)) : nil
        case .head(let head):
            var buffer = BatchBuffer(head: head, reserving: record.size)
            do throws(StorageError) {
                try self.journal.read(sequences) { _, _, payload in buffer.append(payload) }
            } catch {
                throw SignetError(error)
            }
            self.reportDamagedEvents()
            guard buffer.events > 0 else { return nil }
            let events = buffer.events
            return (buffer.finish(), events)
        }
    }

    /// Returns the batches that an earlier process wrote down, oldest events first; former dead letters come last.
    func storedBatches() throws(SignetError) -> [BatchRecord] {
        try self.store.values(withPrefix: StateKey.batches) { self.reportDamage($0.message) }
            .compactMap { key, value in
                if let record = BatchRecord(value) { return record }
                self.setAsideUnreadable(key, value)
                return nil
            }
            .sorted {
                // A batch comes before its halves: see `EventQueue.halve`.
                let (one, other) = ($0.sequences, $1.sequences)
                return (one.first ?? .max, other.count) < (other.first ?? .max, one.count)
            }
    }

    private func setAsideUnreadable(_ key: [UInt8], _ value: [UInt8]) {
        self.reportDamage("A stored batch cannot be read. It was quarantined; its events are sent in a new batch.")
        do throws(SignetError) {
            try self.store.put(value, for: StateKey.unreadable(key))
            try self.store.remove(key)
        } catch {
            self.reportDamage("An unreadable batch could not be quarantined: \(error.message)")
        }
    }
}
