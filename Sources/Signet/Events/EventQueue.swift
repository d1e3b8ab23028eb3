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

/// Delivers what is in the journal, in batches, until the platform has answered for every event.
///
/// An event leaves the journal when the platform has taken it or refused it for good; in the second case its batch is set
/// aside on disk first.
actor EventQueue {
    let services: EventServices
    var machine: UploadStateMachine
    private var records: [UUID: BatchRecord] = [:]
    private var names: [UInt32: InstallationID] = [:]
    /// The last number of the journal that has been taken in.
    private var lastSequence: UInt64 = 0
    /// Resolved with whether everything was delivered that could be.
    private let drained = Promise<Bool>()
    /// Whether what an earlier process left has been read to its end.
    private var isRestored = false
    /// Events that belong to batches of an earlier process; known until the journal has been read to its end.
    private var owned: Set<UInt64>?
    /// Told, but not carried out, because the journal could not be read.
    private var adoptions: [(installation: InstallationID, mpid: MPID)] = []
    /// Whether the last attempt to read the journal failed.
    private var isUnreadable = false
    /// How long to leave a disk alone that cannot be read.
    private static let diskPause = Duration.seconds(5)

    /// Makes a queue.
    init(services: EventServices) {
        self.services = services
        self.machine = UploadStateMachine(limits: services.limits, now: services.time.uptime)
    }

    // MARK: - Running

    /// Delivers until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isTakenIn = self.takeIn()
            guard self.isRestored else {
                await self.sleep(until: self.services.time.uptime + Self.diskPause)
                continue
            }
            switch self.machine.next(now: self.services.time.uptime) {
            case .cut(let group, let items):
                self.cut(group, items)
            case .send(let id):
                let isAccepted = self.services.jobs.submit { await self.upload(id) }
                if !isAccepted { self.machine.finished(id, .postponed(.zero), now: self.services.time.uptime) }
            case .wait(let deadline):
                if self.machine.isDrained(now: self.services.time.uptime) { self.drained.resolve(true) }
                let retry = isTakenIn ? nil : self.services.time.uptime + Self.diskPause
                await self.sleep(until: [deadline, retry].compactMap { $0 }.min())
            }
        }
        self.drained.resolve(false)
    }

    private func sleep(until deadline: Duration?) async {
        await self.services.intake.wakeup.wait(until: deadline, on: self.services.time)
    }

    /// Sends everything that has been logged so far and can be sent now.
    ///
    /// Returns when nothing is left, when the platform asks for a pause, or when a task is cancelled: this one or that of
    /// `run`.
    ///
    /// - Returns: Whether everything was sent that could be; false after a cancellation.
    func drain() async -> Bool {
        guard self.takeIn() || self.isRestored else { return false }
        self.machine.drain(upTo: self.lastSequence)
        self.services.intake.wakeup.signal()
        return await self.drained.value() ?? false
    }

    /// Finds the first of some waits that is over.
    ///
    /// - Parameter waits: Each for events of these users on one installation, logged up to a number, to be settled.
    /// - Returns: Its index; nil when each still waits.
    func firstSettled(_ waits: [(installation: InstallationID, mpids: [MPID], sequence: UInt64)]) -> Int? {
        guard self.takeIn() else { return nil }
        return waits.firstIndex { !self.machine.isOnItsWay($0.installation, $0.mpids, upTo: $0.sequence) }
    }

    // MARK: - Taking in

    /// Takes in what is new in the journal, the first time also what an earlier process left.
    ///
    /// Batches of an earlier process come first: they keep their events to themselves. Adoptions are taken before the
    /// journal is read: whatever was logged for nobody is in the journal by then.
    ///
    /// - Returns: Whether the journal was read to its end.
    private func takeIn() -> Bool {
        self.adoptions += self.services.intake.takeAdoptions()
        do throws(SignetError) {
            if self.owned == nil, !self.isRestored { self.owned = try self.restoreBatches() }
            try self.readJournal()
        } catch {
            self.services.reportDamage("The disk cannot be read; delivery goes on when it can: \(error.message)")
            self.isUnreadable = true
            return false
        }
        if self.isUnreadable {
            self.isUnreadable = false
            // Whoever asked meanwhile what is settled got no answer.
            self.services.settled()
        }
        if !self.isRestored {
            self.isRestored = true
            self.owned = nil
            for installation in self.machine.orphanedInstallations {
                if let mpid = self.services.firstUser(installation) { self.adoptions.append((installation, mpid)) }
            }
        }
        for (installation, mpid) in self.adoptions {
            self.machine.adopt(installation, by: mpid, now: self.services.time.uptime)
        }
        self.adoptions = []
        return true
    }

    /// - Returns: The events of the batches that an earlier process wrote down.
    private func restoreBatches() throws(SignetError) -> Set<UInt64> {
        var owned: Set<UInt64> = []
        // Oldest events first; the order of the ids is chance.
        let records = try self.services.storedBatches().sorted { ($0.sequences.first ?? 0) < ($1.sequences.first ?? 0) }
        for record in records {
            let group = UploadStateMachine.Group(installation: record.installation, mpid: record.mpid)
            self.records[record.id] = record
            self.machine.restore(record.id, group: group, sequences: record.sequences)
            owned.formUnion(record.sequences)
        }
        return owned
    }

    private func readJournal() throws(SignetError) {
        defer { self.services.tellDamage() }
        do throws(StorageError) {
            while true {
                let frames = try self.services.journal.frames(after: self.lastSequence, limit: 512)
                for frame in frames { self.take(frame) }
                if frames.isEmpty { return }
            }
        } catch {
            throw SignetError(error)
        }
    }

    private func take(_ frame: Journal.Frame) {
        self.lastSequence = max(self.lastSequence, frame.sequence)
        if self.owned?.contains(frame.sequence) == true { return }
        guard let tag = EventTag(frame.stamp) else {
            return self.services.reportDamage(
                "Event \(frame.sequence) of the journal has no readable tag; it stays there."
            )
        }
        guard let installation = self.installation(of: tag) else {
            return self.services.reportDamage(
                "Event \(frame.sequence) of the journal belongs to an installation that is not known; it stays there."
            )
        }
        self.machine.take(
            UploadStateMachine.Item(sequence: frame.sequence, bytes: frame.payload.count + 1),
            of: UploadStateMachine.Group(installation: installation, mpid: tag.mpid),
            isPrompt: tag.urgency == .prompt,
            now: self.services.time.uptime
        )
    }

    private func installation(of tag: EventTag) -> InstallationID? {
        if let known = self.names[tag.installation] { return known }
        do throws(SignetError) {
            let name = try self.services.numbers.installation(tag.installation)
            self.names[tag.installation] = name
            return name
        } catch {
            self.services.reportDamage("The name of an installation cannot be read: \(error.message)")
            return nil
        }
    }

    // MARK: - Cutting

    /// Makes a batch and writes it down before it is sent for the first time: from now on it is these bytes, or nothing.
    private func cut(_ group: UploadStateMachine.Group, _ items: [UploadStateMachine.Item]) {
        let now = self.services.time.uptime
        guard let mpid = group.mpid else { return }
        do throws(SignetError) {
            let id = UUID()
            let head = self.services.head(of: id, group.installation, mpid)
            let fitting = Self.fitting(items, beside: head.count)
            let record = BatchRecord(
                id: id,
                installation: group.installation,
                mpid: mpid,
                sequences: fitting.map(\.sequence),
                head: head
            )
            try self.services.store.put(record.encoded(), for: StateKey.batch(id))
            self.records[id] = record
            self.machine.cut(id, of: group, sequences: record.sequences)
            if fitting.count < items.count {
                let rest = Array(items[fitting.count...])
                self.machine.putBack(rest, of: group, pause: .zero, now: now)
            }
        } catch {
            self.services.observer.batchPostponed(events: items.count, until: .seconds(5), error: error)
            self.machine.putBack(items, of: group, pause: .seconds(5), now: now)
        }
    }

    /// As many as fit beside the attributes and identities of the user (Events API v2: 128 KB a batch); at least one.
    private static func fitting(
        _ items: [UploadStateMachine.Item],
        beside overhead: Int
    ) -> ArraySlice<UploadStateMachine.Item> {
        var bytes = overhead + BatchRecord.tail.count
        var count = 0
        for item in items {
            bytes += item.bytes
            guard count == 0 || bytes <= 128 * 1024 else { break }
            count += 1
        }
        return items.prefix(count)
    }

    // MARK: - Sending

    /// One try of a batch, inside `run()`.
    private func upload(_ id: UUID) async {
        guard let record = self.records[id] else { return }
        let body: [UInt8]
        let count: Int
        do throws(SignetError) {
            let events = try self.services.payloads(of: record)
            // Killed after its events had left the journal: only the batch itself is still to be removed.
            guard !events.isEmpty else { return self.settle(record) {} }
            body = record.body(events: events)
            count = events.count
        } catch {
            return self.postpone(record, error)
        }
        let result = await self.services.dispatcher.perform(
            .events,
            body: body,
            timeout: self.services.requestTimeout
        )
        switch result {
        case .success:
            self.settle(record) {
                self.services.delivered(count, bytes: body.count)
            }
        case .failure(let error) where DeliveryPause.isFinal(error):
            do throws(SignetError) {
                try self.services.store.put(body, for: StateKey.refusedBatch(id))
            } catch {
                return self.postpone(record, error)
            }
            self.settle(record) {
                self.services.setAside(count, error)
            }
        case .failure(let error):
            self.postpone(record, error)
        }
    }

    /// The events leave the journal first, the batch afterwards: killed between the two, the batch is found empty.
    private func settle(_ record: BatchRecord, _ count: () -> Void) {
        do throws(SignetError) {
            do throws(SignetError) {
                try self.services.acknowledge(record.sequences)
            } catch {
                // It may have failed after the events had left the journal, when it freed their space.
                guard !self.services.isWaiting(record.sequences) else { throw error }
                self.services.reportDamage("The space of delivered events could not be freed: \(error.message)")
            }
            count()
            try self.services.store.remove(StateKey.batch(record.id))
        } catch {
            // The platform has it. On disk it is still on its way: after a restart it is sent again, with the same id.
            self.services.reportDamage("A delivered batch could not be removed from disk: \(error.message)")
        }
        self.records[record.id] = nil
        self.machine.finished(record.id, .settled, now: self.services.time.uptime)
        self.services.settled()
        self.services.intake.wakeup.signal()
    }

    private func postpone(_ record: BatchRecord, _ error: SignetError) {
        let failures = self.machine.countFailure(now: self.services.time.uptime)
        let pause = DeliveryPause.after(error, failures: failures, chance: self.services.chance())
        self.machine.finished(record.id, .postponed(pause), now: self.services.time.uptime)
        self.services.observer.batchPostponed(events: record.sequences.count, until: pause, error: error)
        self.services.intake.wakeup.signal()
    }
}
