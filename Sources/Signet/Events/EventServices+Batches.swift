//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension EventServices {
    /// What came of an attempt to make a batch.
    struct Filling {
        /// The body so far.
        var buffer: BatchBuffer
        /// How many of the events it has, or are gone: the first ones.
        var count: Int
        /// Whether the first event is too long for a batch, even without what is said of its user.
        var isTooLong = false
        /// Up to which removal of attributes it tells of them; zero for none.
        var removals: Int64 = 0
        /// Whether its user was ephemeral and has gone.
        var hasDeparted = false
    }

    /// The most bytes of removed attributes that one batch tells of; the others wait for the next.
    private static let removalsLimit = 4 * 1024

    /// What a batch may say beside its events, with the identities of its user: the rest of its 128 KB is for events.
    private static let headLimit = UploadLimits.batchBytes - 12 * 1024

    /// Puts the events of a batch together: as many as fit (Events API v2: 128 KB a batch), at least one.
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
        // Who it is, the MPID says: identities that leave no room for the events stay behind.
        if head.count > Self.headLimit {
            (body.userIdentities, body.deviceIdentities) = ([:], [:])
            self.observer.corruptionDetected(
                "A batch left out the identities of its user, to have room for its attributes."
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
                    "A batch left out the identities of its user, to have room for a long event."
                )
                return filling
            }
        }
        // What the user agreed to is never left out.
        body.deletedUserAttributes = []
        (body.userAttributes, body.attribution) = ([:], nil)
        self.observer.corruptionDetected("A batch left out what is known of its user, to have room for a long event.")
        filling = try self.fill(cut, Self.head(body))
        filling.hasDeparted = user.hasDeparted
        return filling
    }

    /// What was said of the installation when the events were logged; nil for nothing, also where it is damaged.
    private func ownContext(_ number: UInt32) throws(SignetError) -> BatchContext? {
        guard number != 0 else { return nil }
        do throws(SignetError) {
            if let context = try self.ownContexts.context(number) { return context }
        } catch {
            guard error.isDamage else { throw error }
        }
        self.reportDamage("The context of an installation is gone; a batch goes with that of the configuration.")
        return nil
    }

    /// The oldest removals that one batch has room for; at least one.
    private static func removals(_ all: [(key: String, number: Int64)]) -> (keys: [String], last: Int64) {
        var bytes = 0
        var chosen = (keys: [String](), last: Int64(0))
        for (key, number) in all {
            // Each byte of a key is at most six of JSON.
            bytes += 6 * key.utf8.count + 3
            guard bytes <= Self.removalsLimit || chosen.keys.isEmpty else { break }
            chosen.keys.append(key)
            chosen.last = number
        }
        return chosen
    }

    /// The list of events comes last, so that an empty batch ends with what closes it.
    private static func head(_ body: BatchBody) -> [UInt8] {
        Array(body.encoded(events: []).dropLast(BatchRecord.tail.count))
    }

    private func fill(_ cut: UploadStateMachine.BatchPlan, _ head: [UInt8]) throws(SignetError) -> Filling {
        var buffer = BatchBuffer(head: head, reserving: min(512 * cut.sequences.count, 96 * 1024))
        var firstLeft: UInt64?
        do throws(StorageError) {
            try self.journal.read(cut.sequences) { sequence, _, payload in
                guard firstLeft == nil else { return }
                // A single event may need more than several are to have.
                let limit = buffer.events == 0 ? UploadLimits.batchBytes : self.limits.maximumBatchBytes
                if buffer.hasRoom(for: payload.count, limit) {
                    buffer.append(payload)
                } else {
                    firstLeft = sequence
                    // Kept all the same, to be set aside.
                    if buffer.events == 0 { buffer.append(payload) }
                }
            }
        } catch {
            throw SignetError(error)
        }
        self.tellDamage()
        let count = firstLeft.map { left in cut.sequences.count { $0 < left } } ?? cut.sequences.count
        let isTooLong = buffer.bytes.count + BatchRecord.tail.count > UploadLimits.batchBytes
        return Filling(buffer: buffer, count: isTooLong ? count + 1 : count, isTooLong: isTooLong)
    }

    /// The body of a batch that was written down, and how many events are in it.
    ///
    /// An event that is gone was settled before a crash, and is left out; without any, there is nothing to send.
    func body(of record: BatchRecord) throws(SignetError) -> (bytes: [UInt8], events: Int)? {
        let sequences = record.sequences.prefix(record.sequences.count)
        switch record.content {
        case .whole(let bytes):
            guard !sequences.isEmpty else { return (bytes, record.events) }
            // Those that made room meanwhile go out with the others, but count as dropped already.
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
            self.tellDamage()
            guard buffer.events > 0 else { return nil }
            let events = buffer.events
            return (buffer.finish(), events)
        }
    }

    /// Batches that an earlier process wrote down, oldest events first; what was set aside before comes last.
    func storedBatches() throws(SignetError) -> [BatchRecord] {
        try self.store.values(withPrefix: StateKey.batches) { self.reportDamage($0.message) }
            .compactMap { key, value in
                if let record = BatchRecord(value) { return record }
                self.setAsideUnreadable(key, value)
                return nil
            }
            .sorted { ($0.sequences.first ?? .max) < ($1.sequences.first ?? .max) }
    }

    private func setAsideUnreadable(_ key: [UInt8], _ value: [UInt8]) {
        self.reportDamage("A stored batch is not readable; it was set aside, its events are sent in a new one.")
        do throws(SignetError) {
            try self.store.put(value, for: StateKey.unreadable(key))
            try self.store.remove(key)
        } catch {
            self.reportDamage("An unreadable batch could not be set aside: \(error.message)")
        }
    }
}
