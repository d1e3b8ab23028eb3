// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Events of an installation without a user: the first is a second older than the second, and so on.
@Suite("Events without a user, by a reading of their row") struct AnonymousEventsTests {
    private let observer = RecordingObserver()
    private let folder: TemporaryFolder
    private let signet: EmulatedSignet
    private let installation: Installation
    /// The moments of the events, in milliseconds since 1970, by their numbers in the journal.
    private let moments: [UInt64: Int64]
    private var machine: UploadStateMachine

    init() async throws {
        self.folder = try TemporaryFolder()
        self.signet = try EmulatedSignet(in: self.folder.path, observer: self.observer)
        self.installation = try await self.signet.runtime.open("v", identify: .none)
        let core = self.installation.core
        let limits = UploadLimits(interval: .seconds(10), priorityUploadDelay: .seconds(1))
        self.machine = UploadStateMachine(limits: limits, now: .zero)
        var moments: [UInt64: Int64] = [:]
        for name in ["first", "second", "third"] {
            self.signet.clock.advance(by: .seconds(1))
            let before = core.context.journal.lastSequence
            try self.installation.log(.custom(name))
            for sequence in (before + 1)...core.context.journal.lastSequence {
                self.machine.take(
                    sequence,
                    EventMetadata(installation: core.number, mpid: nil),
                    bytes: 10,
                    now: .zero
                )
                moments[sequence] = self.signet.clock.milliseconds
            }
        }
        self.moments = moments
    }

    /// A user of the row.
    private var ann: MPID {
        get throws { try #require(MPID(rawValue: 7)) }
    }

    private var sequences: [UInt64] {
        self.moments.keys.sorted()
    }

    /// The numbers of the last event, and of those before.
    private func split() throws -> (earlier: [UInt64], last: UInt64) {
        let last = try #require(self.sequences.last)
        return (self.sequences.dropLast(), last)
    }

    private func events(_ users: Reading) -> AnonymousEvents {
        let context = self.installation.core.context
        return AnonymousEvents(context, users, WaitingEvents(context, users: users, settled: AsyncSignal()))
    }

    /// The events that are still in the journal.
    private func live() throws -> [UInt64] {
        let context = self.installation.core.context
        let waiting = WaitingEvents(context, users: Reading(), settled: AsyncSignal())
        return try waiting.live(self.sequences)
    }

    private var dropped: [DropCause: Int] {
        self.observer.notes.reduce(into: [:]) { counts, note in
            if case .dropped(let count, let cause) = note { counts[cause, default: 0] += count }
        }
    }

    private mutating func attribute(_ users: Reading, after last: UInt64 = .max) throws -> Bool {
        var events = self.events(users)
        events.beginReading(after: last)
        return try events.attribute(of: self.installation.core.number, "v", in: &self.machine)
    }

    private var anonymous: [UInt64] {
        self.machine.anonymousSequences(of: self.installation.core.number)
    }

    @Test mutating func eachEventGoesToTheUserOfItsMoment() throws {
        let (earlier, last) = try self.split()
        let (ann, moment) = (try self.ann, try #require(self.moments[last]))
        let isDone = try self.attribute(Reading { $0 < moment ? .user(ann) : .noUser })
        #expect(isDone)
        #expect(self.anonymous == [last])
        #expect(self.machine.sequences(of: ann) == Set(earlier))
        #expect(try self.live() == self.sequences)
        #expect(self.dropped.isEmpty)
    }

    @Test mutating func afterAnEventOfNobodyNoneIsGivenAway() throws {
        let (_, last) = try self.split()
        let (ann, moment) = (try self.ann, try #require(self.moments[last]))
        let isDone = try self.attribute(Reading { $0 < moment ? .noUser : .user(ann) })
        #expect(isDone)
        #expect(self.anonymous == self.sequences)
    }

    @Test mutating func anEventSinceTheReadingWaitsForTheNextOne() throws {
        let (earlier, last) = try self.split()
        let ann = try self.ann
        let isDone = try self.attribute(Reading { _ in .user(ann) }, after: last - 1)
        #expect(!isDone)
        #expect(self.anonymous == [last])
        #expect(self.machine.sequences(of: ann) == Set(earlier))
    }

    @Test mutating func beforeTheFirstReadingAllWait() throws {
        let ann = try self.ann
        let isDone = try self.attribute(Reading { _ in .user(ann) }, after: 0)
        #expect(!isDone)
        #expect(self.anonymous == self.sequences)
    }

    @Test mutating func eventsWhoseUserTheRowHasForgottenAreDropped() throws {
        let (earlier, last) = try self.split()
        let (ann, moment) = (try self.ann, try #require(self.moments[last]))
        let isDone = try self.attribute(Reading { $0 < moment ? .forgotten : .user(ann) })
        #expect(isDone)
        #expect(try self.live() == [last])
        #expect(self.machine.sequences(of: ann) == [last])
        #expect(self.dropped == [.unknownUser: earlier.count])
    }

    @Test mutating func eventsOfAUserWhoIsBeingErasedWaitForTheErasure() throws {
        let ann = try self.ann
        _ = self.machine.forget(ann, except: [])
        let isDone = try self.attribute(Reading { _ in .user(ann) })
        #expect(isDone)
        #expect(self.anonymous == self.sequences)
        #expect(try self.live() == self.sequences)
    }

    @Test mutating func withdrawnEventsAreDroppedAndTheOthersGoOn() throws {
        let (earlier, last) = try self.split()
        let (ann, moment) = (try self.ann, try #require(self.moments[last]))
        let isDone = try self.attribute(Reading(withdrawn: .before(moment)) { _ in .user(ann) })
        #expect(isDone)
        #expect(try self.live() == [last])
        #expect(self.machine.sequences(of: ann) == [last])
        #expect(self.dropped == [.optedOut: earlier.count])
    }

    @Test mutating func withoutARowTheyWait() throws {
        let isDone = try self.attribute(Reading(withdrawn: .installationMissing))
        #expect(isDone)
        #expect(self.anonymous == self.sequences)
        #expect(try self.live() == self.sequences)
    }

    /// Logs an event of a user after those of nobody.
    private mutating func takeEvent(of mpid: MPID) -> UInt64 {
        let core = self.installation.core
        let sequence = core.context.journal.lastSequence + 1
        self.machine.take(
            sequence,
            EventMetadata(installation: core.number, mpid: mpid),
            bytes: 10,
            now: .zero
        )
        return sequence
    }

    @Test mutating func aRowThatHasLostALogInHoldsUpNoEventOfThatUser() throws {
        let ann = try self.ann
        let follower = self.takeEvent(of: ann)
        #expect(!self.machine.hasSendableEvents(of: ann, on: self.installation.core.number))
        #expect(try self.attribute(Reading()))
        #expect(self.anonymous.isEmpty)
        #expect(self.machine.sequences(of: ann) == Set(self.sequences + [follower]))
        #expect(self.machine.hasSendableEvents(of: ann, on: self.installation.core.number))
        #expect(self.dropped.isEmpty)
    }

    @Test mutating func theLogInMayBeNewerThanTheReading() throws {
        let ann = try self.ann
        let follower = self.takeEvent(of: ann)
        #expect(try self.attribute(Reading(), after: follower - 1))
        #expect(self.anonymous == self.sequences)
    }

    @Test mutating func withoutARowAUserWhoFollowsIsGivenNothing() throws {
        _ = self.takeEvent(of: try self.ann)
        #expect(try self.attribute(Reading(withdrawn: .installationMissing)))
        #expect(self.anonymous == self.sequences)
    }

    @Test mutating func aUserWhoFollowsAndIsBeingErasedIsGivenNothing() throws {
        let ann = try self.ann
        _ = self.machine.forget(ann, except: [])
        // After the erasure, if it was of less than this event.
        let last = try #require(self.sequences.last)
        self.machine.limitForgetting(ann, to: last)
        _ = self.takeEvent(of: ann)
        #expect(try self.attribute(Reading()))
        #expect(self.anonymous == self.sequences)
    }

    @Test mutating func eventsWithoutANameAreDropped() throws {
        let events = self.events(Reading())
        let number = self.installation.core.number
        try events.dropNameless(of: number, from: &self.machine)
        #expect(self.anonymous.isEmpty)
        #expect(try self.live().isEmpty)
        #expect(self.dropped == [.installationGone: self.sequences.count])
        // None is left: nothing is counted.
        try events.dropNameless(of: number, from: &self.machine)
        #expect(self.dropped == [.installationGone: self.sequences.count])
    }
}

@Suite("Rows that cannot be read") struct UnreadableRowsTests {
    @Test func eachIsToldOnceUntilItCanBeRead() async throws {
        let observer = RecordingObserver()
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, observer: observer)
        let installation = try await signet.runtime.open("v", identify: .none)
        var rows = UnreadableRows(installation.core.context)
        let error = SignetError(.newerFormat, "Written by a newer version.")
        rows.report(1, "v", events: 2, error)
        rows.report(1, "v", events: 3, error)
        #expect(observer.pauses == [.seconds(30), .seconds(30)])
        #expect(observer.damages.count == 1)
        // The id may be a cookie, and is in no text.
        let key = SharedIDs.key(of: Array("v".utf8))
        #expect(observer.damages.first?.hasPrefix("The row \(key) of the shared store cannot be read.") == true)
        rows.report(2, "w", events: 1, error)
        #expect(observer.damages.count == 2)
        rows.found(1)
        rows.report(1, "v", events: 3, error)
        rows.report(2, "w", events: 1, error)
        #expect(observer.damages.count == 3)
        // A newer version's row is no damage.
        #expect(signet.runtime.statistics.damagedRecords == 0)
    }
}

/// Users of rows in a shared store, as the last reading says.
private struct Reading: EventUsers {
    var withdrawn: EventWithdrawal?
    var ownerOf: @Sendable (Int64) -> AnonymousOwner = { _ in .noUser }

    var readsRows: Bool { true }

    func batchUser(_ installation: InstallationID, _ mpid: MPID) -> BatchUser { BatchUser() }

    func anonymousAttributions(_ installation: InstallationID) -> [AnonymousAttribution] { [] }

    func departedCarried(
        _ installation: InstallationID,
        _ number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) {}

    func optedOutAfter(_ installation: InstallationID) -> UInt64? { nil }

    func number(_ installation: InstallationID) -> UInt32? { nil }

    func fold(_ number: UInt32, of installation: InstallationID) {}

    func withdrawal(_ installation: InstallationID, _ number: UInt32, _ mpid: MPID?) -> EventWithdrawal? {
        self.withdrawn
    }

    func owner(_ installation: InstallationID, at milliseconds: Int64) -> AnonymousOwner {
        self.ownerOf(milliseconds)
    }
}
