// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

// A row that is gone: removed by this process, by another one, or after a time without use.
extension SharedInstallationStore.State {
    /// Lets the row go: nothing is read, logged or changed here any more.
    ///
    /// The number keeps the row's stamp, so that events that still wait are told from those of the next row.
    ///
    /// - Returns: True if this process has removed it, once: then it counts here.
    mutating func lose() -> Bool {
        self.machine.retire()
        (self.activity, self.logged) = (UntoldActivity(), [])
        return self.row.lose()
    }
}

extension SharedInstallationStore {
    /// True once the row that it had is gone.
    var isGone: Bool {
        self.state.withLock { $0.row.isGone }
    }

    /// True if a request of this process may still remove the row: its answer was lost.
    var mayBeRemoved: Bool {
        self.state.withLock { $0.row.isRemovalAsked }
    }

    /// True if an event was logged that the store was not told of.
    var hasActivity: Bool {
        self.state.withLock { !$0.activity.isEmpty }
    }

    /// The consent of a row that is made for a visitor who has given none.
    var defaultConsent: ConsentState? {
        get throws(SignetError) {
            let context = self.writer.context
            return try context.configuration.defaultConsent?.checked(now: context.time.milliseconds)
        }
    }

    /// Commits a change of the row that begins and ends no session.
    ///
    /// - Returns: Nil if the row is gone.
    /// - Throws: As ``commit(fencedBy:decides:confirms:_:)``.
    nonisolated(nonsending) func commitUnlessGone<Value>(
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) async throws(SignetError) -> InstallationCommit<Value>? {
        do throws(SignetError) {
            return try await self.commit(fencedBy: nil, decides: false, confirms: false, body)
        } catch {
            guard error.code == .closed else { throw error }
            return nil
        }
    }

    /// Removes the row, if it has no session, no slot in use, and is as it was last read.
    ///
    /// - Returns: True if there is no row now.
    /// - Throws: ``SignetError``: `outcomeUnknown` if neither the answer nor the row says it.
    nonisolated(nonsending) func removeRow() async throws(SignetError) -> Bool {
        await self.turn.acquire()
        defer { self.turn.release() }
        guard let (tag, again) = self.state.withLock({ $0.row.askForRemoval() }) else { return true }
        let key = self.key
        do throws(SignetError) {
            let isRemoved = try await self.fleet.asked(.commits) { store throws(SharedStoreError) in
                try await store.remove(key, tag: tag)
            }
            if !isRemoved { self.state.withLock { $0.row.refuseRemoval(again: again) } }
            return isRemoved
        } catch {
            guard error.code == .outcomeUnknown else {
                // Of a cancelled call nobody knows if it was carried out: a later reading finds out.
                if error.code != .cancelled { self.state.withLock { $0.row.refuseRemoval(again: again) } }
                throw error
            }
            let lost = error
            // The answer was lost: the row says if it is there.
            do throws(SignetError) { try await self.refresh() } catch _ { throw lost }
            guard !self.isGone else { return true }
            // The request may wait for a lock in the database, and come later: then it finds the tag that it names.
            if self.tag != tag { self.state.withLock { $0.row.refuseRemoval(again: again) } }
            return false
        }
    }

    /// Notes under its number that events logged without a row are of this installation, not of the next one of its id.
    func seal() {
        self.state.withLock { state in self.fitNumber(&state, to: state.machine.state.deviceApplicationStamp) }
    }

    /// Lets the row go that this process has removed, and counts it once.
    func lose() {
        if self.state.withLock({ $0.lose() }) { self.writer.context.removed(1) }
    }

    /// Notes that its user leaves with the row.
    ///
    /// - Returns: True for the first call.
    func leaves() -> Bool {
        self.state.withLock { $0.row.leave() }
    }
}
