// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Finds the work that a directory has to do, for a ``DueWorkReport``.
///
/// It walks through all keys and all events, and asks for no list that the runtime keeps: a fault of such a list must show here.
struct DueWorkSurvey {
    private typealias Entry = DueWorkReport.Entry

    /// An installation as its records describe it.
    private struct Known {
        /// Nil if another store has the installation, or the record cannot be read.
        var identity: IdentityState?
        var number: UInt32?
        /// True if the runtime owes an identify to the events without a user.
        var isUserWanted = false
    }

    private let log: StateLog
    private let store: StateStore
    private let services: [ServiceDefinition]
    /// The keys of all records, by their letter.
    private let keys: [UInt8: [[UInt8]]]
    /// True if the rows of a shared store have its installations and their sessions.
    private let isReplica: Bool
    private var installations: [InstallationID: Known] = [:]
    private var ids: [UInt32: InstallationID] = [:]
    private var entries: [Entry] = []
    /// The keys of the records with work.
    private var found: Set<[UInt8]> = []

    init(_ log: StateLog, _ services: [ServiceDefinition]) throws(SignetError) {
        (self.log, self.store, self.services) = (log, StateStore(log), services)
        self.isReplica = self.store.contains(StateKey.replica)
        self.keys = Dictionary(grouping: try self.store.keys(withPrefix: [])) { $0.first ?? 0 }
    }

    /// Reads everything.
    ///
    /// - Throws: The error of the disk; `newerFormat`.
    mutating func report(_ journal: Journal) throws(SignetError) -> DueWorkReport {
        try self.readInstallations()
        try self.readEvents(journal)
        try self.readBatches()
        try self.readAliases()
        try self.readOptOuts()
        self.readRemovals()
        try self.readOutboxes()
        try self.readServices()
        self.readMarks()
        return DueWorkReport(self.entries)
    }

    // MARK: - Installations

    private mutating func readInstallations() throws(SignetError) {
        for key in self.keys(StateKey.numberedInstallations) {
            guard let number = StateKey.number(in: key), let bytes = try self.store.readable(key) else { continue }
            do throws(SignetError) {
                let record = try NumberRecord(either: bytes)
                self.ids[number] = record.id
                self.installations[record.id, default: Known()].number = number
                if record.pending != nil { self.installations[record.id]?.isUserWanted = true }
            } catch {
                guard error.isDamage else { throw error }
            }
        }
        for key in self.keys(StateKey.identities) {
            let id = Self.id(in: key)
            guard let identity = try self.record(key, as: IdentityState.self) else {
                self.add(Entry(.facts, of: id, allowed: .unreadable), key)
                continue
            }
            self.installations[id, default: Known()].identity = identity
            if identity.number != 0 { self.installations[id]?.number = identity.number }
            if identity.pendingIdentify != nil { self.installations[id]?.isUserWanted = true }
            // A row has them since the directory was imported; a mark that is left is found as such.
            if identity.owesFacts, !self.isReplica { self.add(Entry(.facts, of: id), key) }
        }
    }

    private static func id(in key: [UInt8]) -> InstallationID {
        InstallationID(String(decoding: key.dropFirst(), as: UTF8.self))
    }

    private func identity(of id: InstallationID?) -> IdentityState? {
        id.flatMap { self.installations[$0]?.identity }
    }

    /// True if no record says whose it is; those of a replica are in its store.
    private func isForgotten(_ id: InstallationID?) -> Bool {
        !self.isReplica && self.identity(of: id) == nil
    }

    private func isOptedOut(_ id: InstallationID?) -> Bool {
        self.identity(of: id)?.isOptedOut == true
    }

    // MARK: - Events and sessions

    /// Events of one installation.
    private struct Waiting {
        var count = 0
        var since: Int64?

        mutating func take(_ milliseconds: Int64) {
            self.count += 1
            self.since = min(self.since ?? .max, milliseconds)
        }
    }

    private mutating func readEvents(_ journal: Journal) throws(SignetError) {
        var waiting: [UInt32: Waiting] = [:]
        var sendable: [UInt32: Waiting] = [:]
        var unreadable = 0
        var sessions = try self.storedSessions()
        try self.visit(journal) { frame in
            guard let tag = EventMetadata(frame.stamp) else {
                unreadable += 1
                return
            }
            let number = tag.installation
            if tag.mpid == nil, self.hasNoUser(number, at: frame.sequence) {
                waiting[number, default: Waiting()].take(tag.seconds * 1000)
            } else {
                sendable[number, default: Waiting()].take(tag.seconds * 1000)
            }
            guard tag.place != .outside, !self.isReplica else { return }
            let read = frame.payload.withUnsafeBytes { SessionFrame(frame.sequence, tag, $0) }
            if let read { sessions[number, default: .empty].take(read) }
        }
        if unreadable > 0 { self.entries.append(Entry(.events, of: nil, count: unreadable, allowed: .unreadable)) }
        for (number, events) in waiting {
            let allowed = self.reasonForNoUser(number)
            self.add(.identify, number, events, allowed)
        }
        for (number, events) in sendable { self.add(.events, number, events, nil) }
        for (number, record) in sessions {
            guard let session = record.interrupted else { continue }
            let id = self.ids[number]
            var allowed: DueWorkReport.AllowedWait? = self.isForgotten(id) ? .forgotten : nil
            // It is told nobody, and removed by the next process.
            if self.isOptedOut(id) { allowed = .optedOut }
            let entry = Entry(.sessionEnd, of: id, since: session.lastMilliseconds, allowed: allowed)
            self.add(entry, id.map { StateKey.session($0) })
        }
    }

    private mutating func add(
        _ kind: DueWorkReport.Kind,
        _ number: UInt32,
        _ events: Waiting,
        _ allowed: DueWorkReport.AllowedWait?
    ) {
        let id = self.ids[number]
        self.entries.append(Entry(kind, of: id, count: events.count, since: events.since, allowed: allowed))
    }

    private func visit(_ journal: Journal, _ body: (Journal.Frame) -> Void) throws(SignetError) {
        var last: UInt64 = 0
        do throws(StorageError) {
            while case let frames = try journal.frames(after: last, limit: 1024), !frames.isEmpty {
                for frame in frames {
                    last = frame.sequence
                    body(frame)
                }
            }
        } catch {
            throw SignetError(error)
        }
    }

    /// True if an event without a user has no owner yet.
    private func hasNoUser(_ number: UInt32, at sequence: UInt64) -> Bool {
        // After a reset the id belongs to another installation.
        guard let identity = self.identity(of: self.ids[number]), identity.number == number else { return true }
        return !identity.directory.anonymousAttributions.contains { sequence <= $0.upTo }
    }

    /// The reason for which an installation may be without a user; nil if the runtime is to ask for one.
    private func reasonForNoUser(_ number: UInt32) -> DueWorkReport.AllowedWait? {
        let id = self.ids[number]
        if self.isOptedOut(id) { return .optedOut }
        guard let id, !self.isForgotten(id) else { return .forgotten }
        // A loss of power took the record, and the id was opened anew.
        if let identity = self.identity(of: id), identity.number != number { return .forgotten }
        return self.installations[id]?.isUserWanted == true ? nil : .awaitsApp("an identity request")
    }

    private mutating func storedSessions() throws(SignetError) -> [UInt32: SessionRecord] {
        var sessions: [UInt32: SessionRecord] = [:]
        for key in self.keys(StateKey.sessions) {
            let id = Self.id(in: key)
            guard let record = try self.record(key, as: SessionRecord.self) else {
                self.add(Entry(.sessionEnd, of: id, allowed: .unreadable), key)
                continue
            }
            if let number = self.installations[id]?.number {
                sessions[number] = record
            } else if let session = record.interrupted {
                self.add(Entry(.sessionEnd, of: id, since: session.lastMilliseconds), key)
            }
        }
        return sessions
    }

    // MARK: - Other records

    private mutating func readBatches() throws(SignetError) {
        for key in self.keys(StateKey.batches) {
            guard let record = try self.record(key, as: BatchRecord.self) else {
                self.add(Entry(.batch, of: nil, allowed: .unreadable), key)
                continue
            }
            self.add(Entry(.batch, of: self.ids[record.installation], count: record.events), key)
        }
        for key in self.keys(StateKey.deadLetterBatches) {
            guard let record = try self.record(key, as: DeadLetterRecord.self) else {
                self.add(Entry(.deadLetter, of: nil, allowed: .unreadable), key)
                continue
            }
            let since = record.milliseconds == 0 ? nil : record.milliseconds
            let id = self.ids[record.installation]
            self.add(Entry(.deadLetter, of: id, count: record.events, since: since, allowed: .deadLetter), key)
        }
    }

    private mutating func readAliases() throws(SignetError) {
        for key in self.keys(StateKey.aliases) {
            let record = try self.record(key, as: AliasRecord.self)
            self.add(Entry(.alias, of: record?.installation, allowed: record == nil ? .unreadable : nil), key)
        }
    }

    private mutating func readOptOuts() throws(SignetError) {
        for key in self.keys(StateKey.optOuts) {
            self.add(Entry(.optOutDrop, of: self.installation(in: key)), key)
        }
        for key in self.keys(StateKey.dueOptOuts) {
            let record = try self.record(key, as: DueOptOut.self)
            let allowed: DueWorkReport.AllowedWait? = record == nil ? .unreadable : nil
            let id = self.installation(in: key)
            self.add(Entry(.optOutEvent, of: id, since: record?.milliseconds, allowed: allowed), key)
        }
    }

    private mutating func readRemovals() {
        for key in self.keys(StateKey.tombstones) { self.add(Entry(.erasure, of: nil), key) }
        for key in self.keys(StateKey.resets) {
            let id = InstallationID(String(decoding: key.dropFirst(StateKey.resets.count + 4), as: UTF8.self))
            self.add(Entry(.reset, of: id), key)
        }
    }

    private mutating func readOutboxes() throws(SignetError) {
        let given = Set(self.services.map(\.service))
        for key in self.keys(StateKey.outboxes) {
            let id = Self.id(in: key)
            guard let outbox = try self.record(key, as: Outbox.self) else {
                self.add(Entry(.outbox, of: id, allowed: .unreadable), key)
                continue
            }
            let open = outbox.records.flatMap(\.services)
            for (service, entries) in Dictionary(grouping: open, by: { $0 }) {
                var allowed: DueWorkReport.AllowedWait?
                if !given.contains(service) {
                    allowed = .serviceNotGiven(service.description)
                } else if self.isOptedOut(id) {
                    allowed = .optedOut
                }
                self.add(Entry(.outbox, of: id, count: entries.count, allowed: allowed), key)
            }
        }
    }

    private mutating func readServices() throws(SignetError) {
        var records: [UInt32: [UInt8: [[UInt8]]]] = [:]
        for key in self.keys(StateKey.services) {
            guard let (number, tag) = StateKey.service(in: key) else { continue }
            records[number, default: [:]][tag, default: []].append(key)
        }
        for (number, services) in records {
            for (tag, keys) in services {
                guard let entry = try self.entry(of: tag, number, keys) else { continue }
                self.entries.append(entry)
                self.found.formUnion(keys)
            }
        }
    }

    private func entry(of tag: UInt8, _ number: UInt32, _ keys: [[UInt8]]) throws(SignetError) -> Entry? {
        let id = self.ids[number]
        guard let definition = self.services.first(where: { $0.tag == tag }) else {
            let name = String(Character(UnicodeScalar(tag)))
            return Entry(.service, of: id, count: keys.count, allowed: .serviceNotGiven(name))
        }
        let records = ServiceRecords(self.store, of: definition, installation: number)
        do throws(SignetError) {
            switch try definition.due(records, self.isOptedOut(id)) {
            case .nothing: return nil
            case .due:
                return Entry(.service, of: id, count: keys.count, allowed: self.isForgotten(id) ? .forgotten : nil)
            case .awaitsApp(let what): return Entry(.service, of: id, count: keys.count, allowed: .awaitsApp(what))
            }
        } catch {
            guard error.isDamage else { throw error }
            return Entry(.service, of: id, count: keys.count, allowed: .unreadable)
        }
    }

    private mutating func readMarks() {
        for key in self.keys.values.joined() where self.log.isDue(key) && !self.found.contains(key) {
            self.entries.append(Entry(.mark, of: self.installation(in: key)))
        }
    }

    // MARK: - Records

    private func keys(_ prefix: [UInt8]) -> [[UInt8]] {
        prefix.first.flatMap { self.keys[$0] } ?? []
    }

    /// The installation that a key names, by its id or by its number.
    private func installation(in key: [UInt8]) -> InstallationID? {
        if [StateKey.identities, StateKey.sessions, StateKey.outboxes].contains(where: key.starts) {
            return Self.id(in: key)
        }
        return StateKey.number(key.dropFirst().prefix(4)).flatMap { (number: UInt32) in self.ids[number] }
    }

    /// Reads a record; nil if it cannot be read.
    private func record<Record: StoredRecord>(
        _ key: [UInt8],
        as type: Record.Type
    ) throws(SignetError) -> Record? {
        do throws(SignetError) {
            return try self.store.value(for: key).map { bytes throws(SignetError) in try Record(decoding: bytes) }
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    private mutating func add(_ entry: Entry, _ key: [UInt8]?) {
        self.entries.append(entry)
        if let key { self.found.insert(key) }
    }
}
