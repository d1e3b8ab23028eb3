// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Takes in the events of the journal, each once, and finds the users of anonymous ones.
///
/// Batches of an earlier process come first, because they own their events. Attributions are taken before the journal
/// is read: by then it has all the anonymous events that they are about.
struct EventIntake: Sendable {
    private enum Phase {
        /// The batches of an earlier process are not known yet.
        case fresh
        /// These events belong to batches of an earlier process; the journal was not read to its end.
        case restoring(owned: Set<UInt64>)
        case restored
    }

    /// The number of events that are taken in before the clock is read again.
    private static let portion = 8192

    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents
    private var phase = Phase.fresh
    /// The last event of earlier processes.
    private let leftBefore: UInt64
    /// The last number of the journal that has been taken in.
    private(set) var last: UInt64 = 0
    /// Attributions that are reported, but not applied, because the journal could not be read.
    private var newAttributions: [EventIngress.NewAttribution] = []
    /// Installations whose events are due soon; kept because the journal could not be read yet.
    private var hastened: Set<UInt32> = []
    /// Installations whose row says whose their anonymous events are; kept until the row is read.
    private var looks: Set<UInt32> = []

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents) {
        self.context = context
        self.users = users
        self.events = events
        self.leftBefore = context.journal.lastSequence
    }

    /// True when the batches of an earlier process must be read.
    var isFresh: Bool {
        if case .fresh = self.phase { true } else { false }
    }

    /// True when the data of earlier processes has been read to its end.
    var isRestored: Bool {
        if case .restored = self.phase { true } else { false }
    }

    /// Begins with the events that batches of an earlier process own.
    mutating func begin(owned: Set<UInt64>) {
        self.phase = .restoring(owned: owned)
    }

    /// Takes what was reported besides the events.
    ///
    /// - Returns: The reports; this takes care of the attributions, the looks and the hastened installations.
    mutating func takeReports() -> EventIngress.Reports {
        let reports = self.context.ingress.takeReports()
        self.newAttributions += reports.newAttributions
        self.hastened.formUnion(reports.hastened)
        self.looks.formUnion(reports.looks)
        return reports
    }

    // MARK: - The journal

    /// Reads the new events.
    ///
    /// - Throws: An error if the disk cannot be read.
    mutating func readJournal(into machine: inout UploadStateMachine) throws(SignetError) {
        defer {
            self.events.reportDamagedEvents()
            self.events.reportDrops()
        }
        do throws(StorageError) {
            try self.context.memory.drain()
        } catch {
            // They stay in memory and are tried again: their callers were notified, and statistics show it.
        }
        do throws(StorageError) {
            var unreadable = 0
            // Numbers at the end may have no event any more, or never had one: they count as read.
            let end = self.context.journal.lastSequence
            while try self.readPortion(into: &machine, &unreadable) {}
            self.last = max(self.last, end)
            guard unreadable > 0 else { return }
            self.context.reportDamage(
                "The metadata of \(unreadable) journal events cannot be read. The events stay there unsent."
            )
        } catch {
            throw SignetError(error)
        }
    }

    /// Reads one portion.
    ///
    /// The last event advances even if the disk fails in the middle, so that no event is taken in twice.
    ///
    /// - Returns: True if there may be more.
    private mutating func readPortion(
        into machine: inout UploadStateMachine,
        _ unreadable: inout Int
    ) throws(StorageError) -> Bool {
        let owned: Set<UInt64> = if case .restoring(let owned) = self.phase { owned } else { [] }
        let now = self.context.time.uptime
        var last = self.last
        defer { self.last = last }
        let end = try self.context.journal.visit(after: last, limit: Self.portion) { sequence, stamp, count in
            last = sequence
            if !owned.isEmpty, owned.contains(sequence) { return }
            guard let tag = EventMetadata(stamp) else { return unreadable += 1 }
            machine.take(sequence, tag, bytes: count + 1, now: now)
        }
        return end != nil
    }

    // MARK: - Afterwards

    /// Attributes anonymous events and hastens installations, after the journal was read to its end.
    mutating func finish(_ machine: inout UploadStateMachine) {
        let now = self.context.time.uptime
        if !self.isRestored {
            self.phase = .restored
            machine.continueInterval(upTo: self.leftBefore, now: now, at: self.context.time.milliseconds / 1000)
            for installation in machine.installationsWithAnonymousEvents {
                if self.users.readsRows { self.looks.insert(installation) }
                self.newAttributions += self.attributions(on: installation)
            }
        }
        for attribution in self.newAttributions { machine.attribute(attribution, now: now) }
        self.newAttributions = []
        self.settleDisputes(&machine, now: now)
        for installation in self.hastened.sorted() { machine.hasten(installation, now: now) }
        self.hastened = []
    }

    /// Attributes anonymous events that a user's events follow: the first user is known, though not reported yet, or
    /// never.
    private mutating func settleDisputes(_ machine: inout UploadStateMachine, now: Duration) {
        let disputed = machine.disputed
        machine.disputed = []
        guard !self.users.readsRows else { return self.looks.formUnion(disputed) }
        for installation in disputed {
            for attribution in self.attributions(on: installation) { machine.attribute(attribution, now: now) }
            // The first user cannot be found any more: the anonymous events came before the user whose events follow.
            guard let user = machine.firstUser(of: installation) else { continue }
            machine.attribute(installation, to: user.mpid, now: now)
        }
    }

    /// True if the row of an installation must be read.
    func looks(at installation: UInt32) -> Bool {
        self.looks.contains(installation)
    }

    /// Takes the installations whose rows must be read.
    mutating func takeLooks() -> Set<UInt32> {
        defer { self.looks = [] }
        return self.looks
    }

    private func attributions(on installation: UInt32) -> [EventIngress.NewAttribution] {
        do throws(SignetError) {
            guard let name = try self.events.name(of: installation) else { return [] }
            return try self.users.anonymousAttributions(name).map {
                EventIngress.NewAttribution(installation: installation, anonymousAttribution: $0)
            }
        } catch {
            self.context.reportDamage("The first user of an installation cannot be read: \(error.message)")
            return []
        }
    }
}

extension UploadStateMachine {
    fileprivate mutating func attribute(_ attribution: EventIngress.NewAttribution, now: Duration) {
        let (installation, anonymous) = (attribution.installation, attribution.anonymousAttribution)
        self.attribute(installation, to: anonymous.mpid, upTo: anonymous.upTo, now: now)
    }
}
