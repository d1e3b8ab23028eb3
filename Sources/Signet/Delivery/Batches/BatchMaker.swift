// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

/// Makes batches: of waiting events for the first time, and again from what is written down.
struct BatchMaker: Sendable {
    /// The result of an attempt to make a batch of planned events.
    struct Made {
        /// The ways in which an attempt ends.
        enum Result {
            /// All events are gone: damaged, or dropped by the journal, which counts them.
            case gone
            /// This batch can be written down and sent.
            case batch(InFlightBatch)
            /// The app has changed its bytes, which can be written down and sent.
            case changed(InFlightBatch)
            /// The app wants none of it.
            case dropped
            /// It cannot be sent at all.
            case refused(BatchRecord, [UInt8], SignetError)
        }

        let result: Result
        /// The number of planned events that are used: those in the batch and those that are gone, from the first on.
        let count: Int
        /// The number of events in the batch.
        var events = 0
        /// The bytes of these events, with a comma each; nil if there are none.
        var bytes: Int?
        /// The installation, if the user of the batch was ephemeral and has left.
        var departedFrom: InstallationID?
    }

    /// Events in the buffer of a batch.
    private struct Filling {
        /// The body so far.
        var buffer: BatchBuffer
        /// The number of planned events that are used.
        let count: Int
        /// The facts of the user in it.
        let facts: BatchFacts

        /// True when the first event is too long for a batch, even without the properties of its user.
        var isTooLong: Bool {
            self.buffer.bytes.count + BatchRecord.tail.count > UploadLimits.batchBytes
        }
    }

    /// The most bytes of a batch besides its events, with its user's identities; the rest of its 128 KB is for events.
    private static let headLimit = UploadLimits.batchBytes - 12 * 1024

    let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents

    /// The facts of its user that a batch carries.
    var userFacts: SignetConfiguration.Events.UserFacts { self.context.configuration.events.userFacts }

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents) {
        self.context = context
        self.users = users
        self.events = events
    }

    // MARK: - For the first time

    /// Makes a batch of planned events, which fixes its bytes.
    ///
    /// - Parameters:
    ///   - plan: The events.
    ///   - held: The changes of the user's attributes that batches without an answer carry.
    /// - Returns: The batch.
    /// - Throws: The error of the disk, or of the hook of the app.
    func make(
        _ plan: UploadStateMachine.BatchPlan,
        besides held: [String: Int64]
    ) throws(SignetError) -> Made {
        let id = UUID.random()
        let installation = try self.events.name(of: plan.installation)
        let user = try installation.map { name throws(SignetError) in try self.users.batchUser(name, plan.mpid) }
        var filling = try self.fill(plan, id, user ?? BatchUser(), besides: held)
        let (count, events, bytes) = (filling.count, filling.buffer.events, filling.buffer.eventBytes)
        guard events > 0 else { return Made(result: .gone, count: count) }
        let isTooLong = filling.isTooLong
        let facts = filling.facts
        let body = filling.buffer.finish()
        func record(_ content: BatchRecord.Content, size: Int) -> BatchRecord {
            BatchRecord(
                id: id,
                installation: plan.installation,
                mpid: plan.mpid,
                sequences: SequenceList(Array(plan.sequences.prefix(count))),
                events: events,
                size: size,
                content: content,
                facts: facts.numbered,
                hash: self.users.readsRows ? user?.hash(of: plan.mpid, in: facts.numbered, self.userFacts) : nil
            )
        }
        // If the journal drops its oldest events, an in-flight batch may lose some: it keeps its bytes.
        let keepsBody = self.context.configuration.events.storage.whenFull == .dropOldest
        let head = body.prefix(body.count - bytes + 1 - BatchRecord.tail.count)
        let plain = record(keepsBody ? .whole(body) : .head(Array(head)), size: body.count)
        let departedFrom = user?.departedConsent == nil ? nil : installation
        func made(_ result: Made.Result, departedFrom: InstallationID? = nil) -> Made {
            Made(result: result, count: count, events: events, bytes: bytes, departedFrom: departedFrom)
        }
        guard !isTooLong else { return made(.refused(plain, body, .tooLong(body.count))) }
        switch self.decide(plain, installation, body) {
        case .send:
            return made(.batch(self.held(plain, body, events)), departedFrom: departedFrom)
        case .replace(let changed):
            guard Self.isBatch(changed, id) else { return made(.refused(plain, body, .badReplacement)) }
            let whole = record(.whole(changed), size: changed.count)
            return made(.changed(self.held(whole, changed, events)), departedFrom: departedFrom)
        case .drop:
            return made(.dropped, departedFrom: departedFrom)
        }
    }

    func held(_ record: BatchRecord, _ body: [UInt8], _ events: Int) -> InFlightBatch {
        InFlightBatch(record, body: (body, events), at: self.context.time.uptime)
    }

    func decide(
        _ record: BatchRecord,
        _ installation: InstallationID?,
        _ body: [UInt8]
    ) -> OutgoingBatch.Decision {
        guard let onCreateBatch = self.context.configuration.events.onCreateBatch, let mpid = record.mpid else {
            return .send
        }
        return onCreateBatch(
            OutgoingBatch(
                id: record.id,
                installation: installation,
                mpid: mpid,
                eventCount: record.events,
                json: body
            )
        )
    }

    /// Returns true if an app's bytes may replace the batch: a batch of that id, within the limit.
    static func isBatch(_ bytes: [UInt8], _ id: UUID, isEmpty: Bool = false) -> Bool {
        guard bytes.count <= UploadLimits.batchBytes else { return false }
        do throws(JSONError) {
            let batch = try JSONReader.read(bytes)
            guard let text = batch["source_request_id"]?.string, UUID(uuidString: text) == id else { return false }
            guard let events = batch["events"]?.array, events.isEmpty == isEmpty else { return false }
            return events.allSatisfy { $0["event_type"]?.string != nil && $0["data"]?.object != nil }
        } catch {
            return false
        }
    }

    /// Fills a batch with as many events as fit (Events API v2: 128 KB a batch), at least one.
    private func fill(
        _ plan: UploadStateMachine.BatchPlan,
        _ id: UUID,
        _ user: BatchUser,
        besides held: [String: Int64]
    ) throws(SignetError) -> Filling {
        let context = self.context.contexts.context(plan.context).merging(try self.ownContext(plan.own))
        let facts = BatchFacts(user, self.userFacts, held: held)
        var body = BatchBody(
            batchID: id,
            milliseconds: self.context.time.milliseconds,
            environment: context.environment ?? self.context.configuration.environment,
            mpid: plan.mpid,
            deviceApplicationStamp: user.deviceApplicationStamp,
            userAttributes: facts.attributes,
            deletedUserAttributes: facts.removed,
            userIdentities: user.identities,
            consent: facts.consent,
            sdkVersion: ClientInfo.signet.version,
            dataPlan: context.plan,
            attribution: user.attribution,
            integrationAttributes: user.integrationAttributes,
            application: context.application,
            device: context.device,
            deviceIdentities: user.deviceIdentities,
            ip: context.ip
        )
        var head = Self.head(body)
        // The MPID identifies the user: identities that leave no room for the events are left out.
        if head.count > Self.headLimit {
            (body.userIdentities, body.deviceIdentities) = ([:], [:])
            self.context.observer.corruptionDetected(
                "A batch omits the identities of its user to make room for the user's attributes."
            )
            head = Self.head(body)
        }
        var filling = try self.fill(plan, head, facts)
        guard filling.isTooLong else { return filling }
        if !(body.userIdentities.isEmpty && body.deviceIdentities.isEmpty) {
            (body.userIdentities, body.deviceIdentities) = ([:], [:])
            filling = try self.fill(plan, Self.head(body), facts)
            guard filling.isTooLong else {
                self.context.observer.corruptionDetected(
                    "A batch omits the identities of its user to make room for a long event."
                )
                return filling
            }
        }
        // The consent of the user is never left out.
        body.deletedUserAttributes = []
        (body.userAttributes, body.attribution) = ([:], nil)
        body.integrationAttributes = [:]
        self.context.observer.corruptionDetected(
            "A batch omits the identities, all attributes and the attribution of its user to make room for a long event."
        )
        return try self.fill(plan, Self.head(body), facts.withoutAttributes())
    }

    /// Returns the context of the installation when the events were logged; nil if there is none or it is damaged.
    private func ownContext(_ number: UInt32) throws(SignetError) -> BatchContext? {
        guard number != 0 else { return nil }
        do throws(SignetError) {
            if let context = try self.context.ownContexts.context(number) { return context }
        } catch {
            guard error.isDamage else { throw error }
        }
        self.context.reportDamage(
            "A context of an installation is lost. Its batches carry the context of the configuration.",
            of: .context(number)
        )
        return nil
    }

    /// The list of events comes last, so an empty batch ends with the closing bytes.
    static func head(_ body: BatchBody) -> [UInt8] {
        Array(body.encoded(events: []).dropLast(BatchRecord.tail.count))
    }

    private func fill(
        _ plan: UploadStateMachine.BatchPlan,
        _ head: [UInt8],
        _ facts: BatchFacts
    ) throws(SignetError) -> Filling {
        var buffer = BatchBuffer(head: head, reserving: min(512 * plan.sequences.count, 96 * 1024))
        var firstLeft: UInt64?
        let several = self.context.configuration.events.maximumBatchBytes
        do throws(StorageError) {
            try self.context.journal.read(plan.sequences) { sequence, _, payload in
                guard firstLeft == nil else { return }
                // A single event may use more bytes than several may.
                let limit = buffer.events == 0 ? UploadLimits.batchBytes : several
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
        self.events.reportDamagedEvents()
        let count = firstLeft.map { left in plan.sequences.count { $0 < left } } ?? plan.sequences.count
        let filling = Filling(buffer: buffer, count: count, facts: facts)
        return filling.isTooLong ? Filling(buffer: buffer, count: count + 1, facts: facts) : filling
    }

    // MARK: - Again

    /// Returns the body of a written batch and the number of its events.
    ///
    /// An event that is gone was settled before a crash, and is left out. The result is nil if all are gone: there is
    /// nothing to send.
    func body(of record: BatchRecord) throws(SignetError) -> (bytes: [UInt8], events: Int)? {
        let sequences = record.sequences.prefix(record.sequences.count)
        switch record.content {
        case .answered:
            return nil
        case .whole(let bytes):
            guard !sequences.isEmpty else { return (bytes, record.events) }
            // Events that made room meanwhile are sent with the others, but count as dropped already.
            let waiting = try self.events.live(sequences).count
            return waiting > 0 ? (bytes, min(waiting, record.events)) : nil
        case .head(let head):
            var buffer = BatchBuffer(head: head, reserving: record.size)
            do throws(StorageError) {
                try self.context.journal.read(sequences) { _, _, payload in buffer.append(payload) }
            } catch {
                throw SignetError(error)
            }
            self.events.reportDamagedEvents()
            guard buffer.events > 0 else { return nil }
            let events = buffer.events
            return (buffer.finish(), events)
        }
    }

    /// Returns the batches that an earlier process wrote down, oldest events first; former dead letters come last.
    func storedBatches() throws(SignetError) -> [BatchRecord] {
        try self.context.store.values(withPrefix: StateKey.batches) { self.context.reportDamage($0.message) }
            .compactMap { key, value in
                if let record = BatchRecord(value) { return record }
                self.setAsideUnreadable(key, value)
                return nil
            }
            .sorted {
                // A batch comes before its halves: see `EventBacklog.halve`.
                let (one, other) = ($0.sequences, $1.sequences)
                return (one.first ?? .max, other.count) < (other.first ?? .max, one.count)
            }
    }

    private func setAsideUnreadable(_ key: [UInt8], _ value: [UInt8]) {
        self.context.reportDamage(
            "A stored batch cannot be read. It was quarantined; its events are sent in a new batch."
        )
        do throws(SignetError) {
            try self.context.store.put(value, for: StateKey.unreadable(key))
            try self.context.store.remove(key)
        } catch {
            self.context.reportDamage("An unreadable batch could not be quarantined: \(error.message)")
        }
    }
}

extension SignetError {
    fileprivate static func tooLong(_ count: Int) -> SignetError {
        SignetError(
            .invalidArgument,
            "A batch with this event alone has \(count) bytes; the platform accepts at most \(UploadLimits.batchBytes)."
        )
    }

    fileprivate static let badReplacement = SignetError(
        .invalidArgument,
        "onCreateBatch returned an invalid batch, so neither batch was sent. Return a JSON object of at most "
            + "\(UploadLimits.batchBytes) bytes with the same source_request_id. Each event needs event_type and data."
    )
}
