// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

/// Removes events from the journal, after everything that is known by them alone is written down.
final class WaitingEvents: Sendable {
    private let context: RuntimeContext
    private let users: any EventUsers
    /// Signalled after events were settled.
    let settled: AsyncSignal
    private let damageTold = Locked(0)
    private let dropsTold = Locked(0)

    init(_ context: RuntimeContext, users: any EventUsers, settled: AsyncSignal) {
        self.context = context
        self.users = users
        self.settled = settled
    }

    /// Returns the name of an installation; nil, with a report the first time, if there is none or its record is damaged.
    func name(of installation: UInt32) throws(SignetError) -> InstallationID? {
        guard installation != 0 else { return nil }
        do throws(SignetError) {
            if let name = try self.context.numbers.installation(installation) { return name }
        } catch {
            guard error.isDamage else { throw error }
        }
        let fate =
            self.context.fleet == nil
            ? "are sent without device application stamp." : "are dropped: nothing says whether they may be sent."
        self.context.reportDamage(
            "The name of installation \(installation) is lost. Its events \(fate)",
            of: .name(installation)
        )
        return nil
    }

    /// Removes events from the journal, after their data of an open session is written down.
    ///
    /// - Parameters:
    ///   - sequences: The numbers of the events.
    ///   - installations: The installations that logged them.
    /// - Throws: The error of the disk; the events then stay.
    func acknowledge(_ sequences: [UInt64], of installations: some Sequence<UInt32>) throws(SignetError) {
        for number in installations where number != 0 {
            if let id = try self.name(of: number) { try self.users.fold(number, of: id) }
        }
        do throws(StorageError) {
            try self.context.journal.acknowledge(sequences)
        } catch {
            throw SignetError(error)
        }
    }

    /// Returns those of some events that are still in the journal.
    func live(_ sequences: [UInt64]) throws(SignetError) -> [UInt64] {
        var live: [UInt64] = []
        do throws(StorageError) {
            try self.context.journal.read(sequences) { sequence, _, _ in live.append(sequence) }
        } catch {
            throw SignetError(error)
        }
        return live
    }

    /// Reports events that the journal found damaged and left out since the last call; the journal counts them.
    func reportDamagedEvents() {
        let damaged = Self.new(self.context.journal.damagedFrames, self.damageTold)
        guard damaged > 0 else { return }
        self.context.observer.corruptionDetected(
            "\(damaged) events in the journal were damaged. They were quarantined."
        )
    }

    /// Reports the oldest events that made room for new ones since the last call; the journal counts them.
    func reportDrops() {
        let dropped = Self.new(self.context.journal.droppedFrames, self.dropsTold)
        if dropped > 0 { self.context.observer.eventsDropped(dropped, cause: .limit) }
    }

    private static func new(_ count: Int, _ told: Locked<Int>) -> Int {
        told.withLock { told in
            defer { told = count }
            return count - told
        }
    }
}
