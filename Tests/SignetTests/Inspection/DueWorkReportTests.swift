// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTestSupport
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

/// The work that a directory has to do, each kind planted and seen.
@Suite struct DueWorkReportTests {
    private typealias Entry = DueWorkReport.Entry

    private static let id: InstallationID = "visitor"
    private static let number: UInt32 = 7
    private static let user = MPID(rawValue: 42)

    /// The directory of a runtime, written record by record.
    private final class Directory {
        private let folder: TemporaryFolder
        let log: StateLog
        let journal: Journal

        init() throws {
            self.folder = try TemporaryFolder()
            self.log = try StateLog(directory: self.folder.path + "/state")
            self.journal = try Journal(directory: self.folder.path + "/journal")
            let id = Array(DueWorkReportTests.id.rawValue.utf8)
            try self.log.put(id, for: StateKey.number(DueWorkReportTests.number))
        }

        func put(_ record: some StoredRecord, _ key: [UInt8], isDue: Bool = false) throws {
            try self.log.put(record.encoded(), for: key, isDue: isDue)
        }

        /// Writes the users of the installation.
        func putIdentity(_ change: (inout IdentityState) -> Void = { _ in }) throws {
            var state = IdentityState(deviceApplicationStamp: UUID(), now: 0)
            state.number = DueWorkReportTests.number
            change(&state)
            try self.put(state, StateKey.identity(DueWorkReportTests.id))
        }

        func append(
            _ place: EventMetadata.Place = .outside,
            of mpid: MPID? = nil,
            by number: UInt32 = DueWorkReportTests.number,
            at seconds: Int64 = 1_700_000_040,
            _ json: String = "{}"
        ) throws {
            let tag = EventMetadata(installation: number, mpid: mpid, place: place, seconds: seconds)
            _ = try self.journal.append(stamp: tag.encoded(), payload: Array(json.utf8))
        }

        /// Reads what there is; nothing can be written afterwards.
        func entries(_ services: [ServiceDefinition] = []) throws -> Set<Entry> {
            self.log.close()
            self.journal.close()
            let report = try DirectoryInspector(copy: self.folder.path).dueWork(services)
            #expect(Set(report.entries).count == report.entries.count)
            return Set(report.entries)
        }
    }

    /// A service whose records say themselves what is due.
    private static func service(_ name: String, tag: Character) -> ServiceDefinition {
        ServiceDefinition(
            .init(name: name),
            tag: tag,
            erasedCount: "\(name).erased",
            problems: [],
            erase: { _, _, _ throws(SignetError) in (0, 0) },
            due: { records, isOptedOut throws(SignetError) in
                guard let bytes = try records.store.value(for: records.memoryKey) else { return .nothing }
                guard let word = bytes.first else {
                    throw SignetError(.diskFailed, "No word.", cause: RecordDamage(field: nil))
                }
                if isOptedOut { return .awaitsApp("an opt-in") }
                return word == 1 ? .due : word == 2 ? .awaitsApp("a word") : .nothing
            },
            make: { _ throws(SignetError) in throw .notRunning }
        )
    }

    private static let sessionStart = """
        {"event_type":"session_start","data":{"session_uuid":"5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11",\
        "session_start_unixtime_ms":1700000000000}}
        """

    private static func totals(_ last: Int64) -> SessionTotals {
        SessionTotals(session: Session(uuid: UUID(), startTime: Date(milliseconds: last)), lastMilliseconds: last)
    }

    @Test func aDirectoryThatIsAtRestOwesNothing() throws {
        let directory = try Directory()
        try directory.putIdentity()
        try directory.put(
            SessionRecord(folded: 3, open: nil, previous: PreviousSession(Self.totals(1000))),
            StateKey.session(Self.id)
        )
        try directory.log.put([3], for: StateKey.serviceMemory(UInt8(ascii: "z"), Self.number))
        #expect(try directory.entries([Self.service("word", tag: "z")]).isEmpty)
    }

    // MARK: - Events

    @Test func eventsWithoutAUserNeedAnIdentify() throws {
        let directory = try Directory()
        try directory.putIdentity { $0.pendingIdentify = .asKnown }
        try directory.append(at: 1_700_000_100)
        try directory.append(at: 1_700_000_040)
        #expect(try directory.entries() == [Entry(.identify, of: Self.id, count: 2, since: 1_700_000_040_000)])
    }

    @Test func eventsWithoutAUserMayWaitForAnAppThatIdentifiesItself() throws {
        let directory = try Directory()
        try directory.putIdentity()
        try directory.append()
        let entry = Entry(
            .identify,
            of: Self.id,
            since: 1_700_000_040_000,
            allowed: .awaitsApp("an identity request")
        )
        #expect(try directory.entries() == [entry])
    }

    @Test func anInstallationWhoseRecordAStoreHasNeedsItToo() throws {
        let directory = try Directory()
        try directory.log.put([], for: StateKey.replica)
        try directory.put(
            NumberRecord(Self.id, stamp: nil, pending: .asKnown),
            StateKey.number(Self.number)
        )
        try directory.append()
        #expect(try directory.entries() == [Entry(.identify, of: Self.id, since: 1_700_000_040_000)])
    }

    @Test func whatNoRecordKnowsMayWait() throws {
        let directory = try Directory()
        try directory.append(.begin)
        try directory.append(by: 8)
        try directory.log.put([1], for: StateKey.serviceMemory(UInt8(ascii: "z"), 8), isDue: true)
        let entries = try directory.entries([Self.service("word", tag: "z")])
        #expect(entries.count == 3 && entries.allSatisfy { $0.allowed == .forgotten })
    }

    @Test func eventsOfANumberBeforeALossOfPowerMayWait() throws {
        let directory = try Directory()
        try directory.put(NumberRecord(Self.id, stamp: nil), StateKey.number(8))
        try directory.putIdentity { $0.pendingIdentify = .asKnown }
        try directory.append(by: 8)
        #expect(try directory.entries().map(\.allowed) == [.forgotten])
    }

    @Test func nobodyIsIdentifiedWhileOptedOut() throws {
        let directory = try Directory()
        try directory.putIdentity { $0.isOptedOut = true }
        try directory.append()
        #expect(try directory.entries().map(\.allowed) == [.optedOut])
    }

    @Test func eventsOfAUserAreToBeSent() throws {
        let directory = try Directory()
        let user = try #require(Self.user)
        try directory.putIdentity { $0.directory = UserDirectory(createdAt: 0, firstUser: user) }
        // The first was logged before there was a user.
        try directory.append()
        try directory.append(of: user)
        #expect(try directory.entries() == [Entry(.events, of: Self.id, count: 2, since: 1_700_000_040_000)])
    }

    @Test func afterAnErasureTheNextUserIsWaitedFor() throws {
        let directory = try Directory()
        let past = [AnonymousAttribution(upTo: 1, mpid: nil)]
        try directory.putIdentity { $0.directory = UserDirectory(createdAt: 0, pastAttributions: past) }
        try directory.append()
        try directory.append()
        let kinds = try directory.entries().map(\.kind)
        #expect(Set(kinds) == [.events, .identify])
    }

    @Test func anAcknowledgedEventIsNoWork() throws {
        let directory = try Directory()
        try directory.append()
        try directory.journal.acknowledge([1])
        #expect(try directory.entries().isEmpty)
    }

    @Test func anEventWithoutATagCannotBeRead() throws {
        let directory = try Directory()
        _ = try directory.journal.append(stamp: [1, 2, 3], payload: [])
        #expect(try directory.entries() == [Entry(.events, of: nil, allowed: .unreadable)])
    }

    // MARK: - Sessions

    @Test func aSessionInTheRecordHasNoEnd() throws {
        let directory = try Directory()
        try directory.putIdentity()
        let record = SessionRecord(folded: 3, open: Self.totals(5000), isBegun: true, previous: nil)
        try directory.put(record, StateKey.session(Self.id), isDue: true)
        #expect(try directory.entries() == [Entry(.sessionEnd, of: Self.id, since: 5000)])
    }

    @Test func aSessionInTheEventsHasNoEnd() throws {
        let directory = try Directory()
        try directory.putIdentity()
        try directory.append(.begin, of: Self.user, Self.sessionStart)
        try directory.append(.inside, of: Self.user, at: 1_700_000_100)
        let found = try directory.entries().filter { $0.kind == .sessionEnd }
        #expect(found == [Entry(.sessionEnd, of: Self.id, since: 1_700_000_100_000)])
    }

    @Test func aSessionWhoseEndIsInTheEventsHasOne() throws {
        let directory = try Directory()
        try directory.put(
            SessionRecord(folded: 0, open: Self.totals(5000), isBegun: true, previous: nil),
            StateKey.session(Self.id)
        )
        let end = #"{"event_type":"session_end","data":{"timestamp_unixtime_ms":1700000100000}}"#
        try directory.append(.inside, of: Self.user, end)
        #expect(try directory.entries().map(\.kind) == [.events])
    }

    @Test func aSessionThatIsOnlyAnnouncedNeverBeganButItsMarkStands() throws {
        for isDue in [true, false] {
            let directory = try Directory()
            let record = SessionRecord(folded: 3, open: Self.totals(5000), previous: nil)
            try directory.put(record, StateKey.session(Self.id), isDue: isDue)
            #expect(try directory.entries() == (isDue ? [Entry(.mark, of: Self.id)] : []))
        }
    }

    @Test func theRowsHaveTheSessionsOfAReplica() throws {
        let directory = try Directory()
        try directory.log.put([1], for: StateKey.replica)
        try directory.append(.begin, of: Self.user, Self.sessionStart)
        #expect(try directory.entries().map(\.kind) == [.events])
    }

    // MARK: - Records

    @Test func aBatchAndAnAliasRequestWaitForTheirAnswers() throws {
        let directory = try Directory()
        let batch = BatchRecord(
            id: UUID(),
            installation: Self.number,
            mpid: Self.user,
            sequences: SequenceList([1, 2, 3]),
            events: 3,
            size: 100,
            content: .head([1])
        )
        try directory.put(batch, StateKey.batch(batch.id))
        let user = try #require(Self.user)
        let alias = AliasRecord(
            id: UUID(),
            installation: Self.id,
            deviceApplicationStamp: UUID(),
            source: user,
            destination: user,
            start: 1,
            end: 2,
            lastEvent: 0
        )
        try directory.put(alias, StateKey.alias(alias.id))
        #expect(try directory.entries() == [Entry(.batch, of: Self.id, count: 3), Entry(.alias, of: Self.id)])
    }

    @Test func aDeadLetterIsForTheAppToDecide() throws {
        let directory = try Directory()
        let letter = DeadLetterRecord(
            installation: Self.number,
            mpid: Self.user,
            events: 2,
            status: 400,
            milliseconds: 900,
            reason: "no",
            body: []
        )
        try directory.put(letter, StateKey.deadLetterBatch(UUID()))
        let entry = Entry(.deadLetter, of: Self.id, count: 2, since: 900, allowed: .deadLetter)
        #expect(try directory.entries() == [entry])
    }

    @Test func anOptOutHasAnEventAndDropsEvents() throws {
        let directory = try Directory()
        let due = DueOptOut(isOptedOut: true, milliseconds: 700, messageID: UUID())
        try directory.put(due, StateKey.dueOptOut(Self.number))
        try directory.log.put([], for: StateKey.optOut(Self.number, upTo: 3))
        #expect(
            try directory.entries() == [
                Entry(.optOutEvent, of: Self.id, since: 700), Entry(.optOutDrop, of: Self.id),
            ]
        )
    }

    @Test func anErasureAndAResetAreUnderWay() throws {
        let directory = try Directory()
        try directory.log.put([1], for: StateKey.tombstone(UUID()))
        try directory.log.put([], for: StateKey.reset(9, "gone"))
        #expect(try directory.entries() == [Entry(.erasure, of: nil), Entry(.reset, of: "gone")])
    }

    @Test func servicesMustFollowAUser() throws {
        let directory = try Directory()
        let word = Self.service("word", tag: "z")
        var outbox = Outbox()
        for services in [["word"], ["word", "other"]] {
            let names = Set(services.map { IdentitySyncOutcome.Service(name: $0) })
            _ = outbox.add(OutboxEntry(id: UUID(), mpid: Self.user, call: .leave, services: names))
        }
        try directory.put(outbox, StateKey.outbox(Self.id))
        #expect(
            try directory.entries([word]) == [
                Entry(.outbox, of: Self.id, count: 2),
                Entry(.outbox, of: Self.id, allowed: .serviceNotGiven("other")),
            ]
        )
    }

    private static let verdicts: [(UInt8, Bool, DueWorkReport.AllowedWait?)] = [
        (1, false, nil), (2, false, .awaitsApp("a word")), (1, true, .awaitsApp("an opt-in")),
    ]

    @Test(arguments: Self.verdicts)
    func aServiceSaysWhatIsDue(word: UInt8, isOptedOut: Bool, allowed: DueWorkReport.AllowedWait?) throws {
        let directory = try Directory()
        try directory.putIdentity { $0.isOptedOut = isOptedOut }
        let memory = StateKey.serviceMemory(UInt8(ascii: "z"), Self.number)
        try directory.log.put([word], for: memory, isDue: true)
        try directory.log.put([word], for: memory + [0, 0, 0, 0, 0, 0, 0, 1])
        let entry = Entry(.service, of: Self.id, count: 2, allowed: allowed)
        #expect(try directory.entries([Self.service("word", tag: "z")]) == [entry])
    }

    @Test func recordsOfAServiceThatWasNotGivenMayWait() throws {
        let directory = try Directory()
        try directory.log.put([1], for: StateKey.serviceMemory(UInt8(ascii: "z"), Self.number))
        let entry = Entry(.service, of: Self.id, allowed: .serviceNotGiven("z"))
        #expect(try directory.entries([Self.service("word", tag: "y")]) == [entry])
    }

    @Test func aPushTokenThatThePlatformLacksIsToBeTold() throws {
        for isOptedOut in [false, true] {
            let directory = try Directory()
            let user = try #require(Self.user)
            try directory.putIdentity { state in
                state.directory = UserDirectory(
                    createdAt: 0,
                    entries: [user: .init(firstSeen: 0, lastSeen: 0)],
                    current: user,
                    firstUser: user
                )
                state.devices.set("token", for: .pushToken)
                state.isOptedOut = isOptedOut
            }
            // Nothing is sent while opted out; the opt-in writes the record again.
            #expect(try directory.entries() == (isOptedOut ? [] : [Entry(.facts, of: Self.id)]))
        }
    }

    @Test func aMarkWithoutWorkIsOwed() throws {
        let directory = try Directory()
        try directory.put(IdentityState(deviceApplicationStamp: UUID(), now: 0), StateKey.identity("a"), isDue: true)
        let memory = StateKey.serviceMemory(UInt8(ascii: "z"), Self.number)
        try directory.log.put([3], for: memory, isDue: true)
        let entries = try directory.entries([Self.service("word", tag: "z")])
        #expect(entries == [Entry(.mark, of: "a"), Entry(.mark, of: Self.id)])
    }

    @Test func recordsThatCannotBeReadMayWait() throws {
        let directory = try Directory()
        let keys = [
            StateKey.identity(Self.id), StateKey.session(Self.id), StateKey.batch(UUID()), StateKey.alias(UUID()),
            StateKey.dueOptOut(Self.number), StateKey.outbox(Self.id), StateKey.deadLetterBatch(UUID()),
        ]
        for key in keys { try directory.log.put([255], for: key, isDue: true) }
        try directory.log.put([], for: StateKey.serviceMemory(UInt8(ascii: "z"), Self.number), isDue: true)
        let entries = try directory.entries([Self.service("word", tag: "z")])
        #expect(entries.count == 8 && entries.allSatisfy { $0.allowed == .unreadable })
        let kinds: Set<DueWorkReport.Kind> = [
            .facts, .sessionEnd, .batch, .alias, .optOutEvent, .outbox, .deadLetter, .service,
        ]
        #expect(Set(entries.map(\.kind)) == kinds)
    }

    @Test func whatIsOwedIsCountedApart() {
        let identifies = [Entry(.identify, of: "a"), Entry(.identify, of: "b", allowed: .optedOut)]
        let report = DueWorkReport(identifies + [Entry(.batch, of: nil)])
        #expect(report.owed == [Entry(.identify, of: "a"), Entry(.batch, of: nil)])
        #expect(report.counts[.identify].map { [$0.owed, $0.allowed] } == [1, 1])
        #expect(report.counts[.batch].map { [$0.owed, $0.allowed] } == [1, 0])
        #expect(report.counts[.alias] == nil)
    }
}
