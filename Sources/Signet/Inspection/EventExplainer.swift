// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// Searches a directory for one event, and collects what its records say about it.
struct EventExplainer {
    private let store: StateStore
    private let journal: Journal

    init(_ store: StateStore, _ journal: Journal) {
        (self.store, self.journal) = (store, journal)
    }

    /// Explains an event; reads the whole journal once or twice.
    ///
    /// - Throws: `diskFailed`. Damaged records and events are left out.
    func answer(_ id: UUID) throws(SignetError) -> EventAnswer {
        let search = EventSearch(id)
        var look = EventAnswer.Look()
        var finding = try self.waiting(search, &look)
        finding.batch = try self.batch(search, finding.sequence, &look)
        finding.letter = try self.deadLetter(search, &look)
        guard let event = finding.event ?? finding.letter?.event ?? finding.batch?.event else { return .missing(look) }
        return .found(try self.explanation(id, event, finding))
    }

    private func explanation(
        _ id: UUID,
        _ event: JSONValue,
        _ finding: EventFinding
    ) throws(SignetError) -> EventExplanation {
        let data = event["data"]
        let milliseconds = data?["timestamp_unixtime_ms"]?.number?.int64
        let records = try InspectedInstallation(finding.installation, self.store)
        let session = EventSearch.uuid(data?["session_uuid"])
        var trail = EventTrail(of: finding.sequence ?? .max, session: session)
        var sessions = records.sessions
        try self.visit { frame, tag in
            guard finding.installation != 0, tag?.installation == finding.installation else { return true }
            trail.take(frame.sequence, frame.payload)
            let read = tag.flatMap { tag in
                frame.payload.withUnsafeBytes { SessionFrame(frame.sequence, tag, $0) }
            }
            if let read { sessions.take(read) }
            return true
        }
        let user = try self.user(records, finding, milliseconds, trail)
        let (consent, context) =
            if let body = finding.body {
                (EventExplanation.ConsentFacts(batch: body), EventExplanation.ContextFacts(batch: body))
            } else {
                (try records.consent(of: user.mpid), try self.context(finding.tag))
            }
        return EventExplanation(
            id: id,
            kind: event["event_type"]?.string ?? "unknown",
            name: data?["event_name"]?.string ?? data?["screen_name"]?.string,
            milliseconds: milliseconds,
            sequence: finding.sequence,
            installation: try records.facts(),
            user: user,
            session: session.map { uuid in
                EventExplanation.SessionFacts(
                    uuid: uuid,
                    start: data?["session_start_unixtime_ms"]?.number?.int64,
                    state: EventExplanation.SessionState(of: uuid, sessions),
                    begin: trail.begin,
                    end: trail.end
                )
            },
            consent: consent,
            context: context,
            batch: finding.batch.map {
                EventExplanation.BatchFacts(id: $0.record.id, events: $0.record.events, bytes: $0.record.size)
            },
            deadLetter: finding.letter?.facts,
            pause: try self.store.readable(StateKey.uploadPause).flatMap { EventExplanation.PauseFacts($0) }
        )
    }

    private func user(
        _ records: InspectedInstallation,
        _ finding: EventFinding,
        _ milliseconds: Int64?,
        _ trail: EventTrail
    ) throws(SignetError) -> EventExplanation.UserFacts {
        let owner = EventOwner(finding, records.identity?.directory)
        var facts = EventExplanation.UserFacts(mpid: owner.mpid, reason: owner.reason)
        facts.current = records.identity?.directory.current
        // Without a number in the journal, the time tells which changes came before the event.
        facts.identityChanges = trail.identityChanges.filter { change in
            finding.sequence != nil || change.milliseconds <= milliseconds ?? .max
        }
        guard let mpid = owner.mpid else { return facts }
        facts.stored = records.identity?.directory.entries[mpid].map { EventExplanation.StoredFacts($0) }
        facts.aliases = try records.aliases(of: mpid)
        facts.services = try records.services(behind: mpid)
        return facts
    }

    private func context(_ tag: EventMetadata?) throws(SignetError) -> EventExplanation.ContextFacts {
        guard let tag else { return EventExplanation.ContextFacts() }
        let configured = try self.store.readable(StateKey.context(tag.context)).map { BatchContext($0) }
        let own = try self.store.readable(StateKey.ownContext(tag.own)).map { BatchContext($0) }
        return EventExplanation.ContextFacts((configured ?? BatchContext()).merging(own))
    }

    // MARK: - Searching

    private func waiting(
        _ search: EventSearch,
        _ look: inout EventAnswer.Look
    ) throws(SignetError) -> EventFinding {
        var finding = EventFinding()
        var count = 0
        try self.visit { frame, tag in
            count += 1
            guard let event = search.event(frame.payload) else { return true }
            (finding.event, finding.sequence, finding.tag) = (event, frame.sequence, tag)
            return false
        }
        look.events = count
        return finding
    }

    private func batch(
        _ search: EventSearch,
        _ sequence: UInt64?,
        _ look: inout EventAnswer.Look
    ) throws(SignetError) -> EventFinding.Batch? {
        for key in try self.store.keys(withPrefix: StateKey.batches) {
            guard let record = try self.store.readable(key).flatMap({ BatchRecord($0) }) else { continue }
            look.batches += 1
            let bytes: [UInt8]
            switch record.content {
            case .head(let head): bytes = head + BatchRecord.tail
            // The events may have left the journal, if the app lets it drop the oldest.
            case .whole(let body): bytes = body
            case .answered: continue
            }
            let body = EventSearch.read(bytes)
            let event = body.flatMap { search.event(in: $0) }
            let isMeant = sequence.map { record.sequences.prefix(record.sequences.count).contains($0) } ?? false
            guard isMeant || event?.object != nil else { continue }
            return EventFinding.Batch(record: record, body: body, event: event)
        }
        return nil
    }

    private func deadLetter(
        _ search: EventSearch,
        _ look: inout EventAnswer.Look
    ) throws(SignetError) -> EventFinding.Letter? {
        // One at a time: a thousand bodies are much memory.
        for key in try self.store.keys(withPrefix: StateKey.deadLetterBatches) {
            guard let id = UUID(bytes: key.dropFirst(StateKey.deadLetterBatches.count)),
                let record = try self.store.readable(key).flatMap({ DeadLetterRecord($0) })
            else { continue }
            look.deadLetters += 1
            guard let body = EventSearch.read(record.body), let event = search.event(in: body) else { continue }
            return EventFinding.Letter(id: id, record: record, body: body, event: event)
        }
        return nil
    }

    private func visit(_ body: (Journal.Frame, EventMetadata?) -> Bool) throws(SignetError) {
        var last: UInt64 = 0
        do throws(StorageError) {
            while case let frames = try self.journal.frames(after: last, limit: 1024), !frames.isEmpty {
                for frame in frames {
                    last = frame.sequence
                    guard body(frame, EventMetadata(frame.stamp)) else { return }
                }
            }
        } catch {
            throw SignetError(error)
        }
    }
}

extension StateStore {
    /// Reads a record; nil if there is none, or it is damaged.
    func readable(_ key: [UInt8]) throws(SignetError) -> [UInt8]? {
        do throws(SignetError) {
            return try self.value(for: key)
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }
}
