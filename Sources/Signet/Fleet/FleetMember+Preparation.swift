// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

// Before the first call, and where the tables are others: can the store be used, in which format, and does it know this replica.
extension FleetMember {
    /// The time after which the store is asked for its format again.
    private static let formatLifetime = Duration.seconds(60)

    /// The time after which tables that call for it are prepared again.
    private static let preparationPause = Duration.seconds(1)

    /// Finds out, once, whether the store can be used, and joins the replicas.
    ///
    /// Its answers do not count as those of a store that works: the call that follows may fail each time.
    ///
    /// - Throws: ``SharedStoreError``; never `outcomeUnknown`: nothing of the caller was sent.
    nonisolated(nonsending) func prepare() async throws(SharedStoreError) {
        guard self.format.withLock({ $0 == nil }) else { return }
        let (replica, joining) = (self.replica, self.joining)
        let (written, joined): (Int, Answer<SharedReplica.Joining>)
        do throws(SharedStoreError) {
            written = try await self.askFormat()
            joined = try await self.send(.readings, evidence: { _ in .nothing }) { store throws(SharedStoreError) in
                try await store.join(replica, token: joining)
            }
        } catch {
            throw error.ofReading
        }
        if case .new = self.directory, !joined.value.isKnown {
            self.begin.withLock { $0 = $0 ?? (joined.milliseconds, joined.sent) }
        }
        self.format.withLock { $0 = StoreFormat(written: written, asked: joined.sent) }
    }

    private nonisolated(nonsending) func askFormat() async throws(SharedStoreError) -> Int {
        let workspace = self.workspace
        let answer = try await self.send(.readings, evidence: { _ in .nothing }) { store throws(SharedStoreError) in
            try await store.prepare(workspace: workspace)
        }
        do throws(SharedStoreError) {
            try self.formats.check(answer.value)
        } catch {
            self.health?.storeFailed(SignetError(error).code, .readings)
            throw error
        }
        return answer.value.written
    }

    /// Lets the next call find out again whether the store can be used, and join the replicas again: its tables may be others.
    ///
    /// - Parameter moment: The uptime of the call that has found the tables other; nil if it is none.
    /// - Returns: False if it did within the second before that call.
    @discardableResult
    func forgetPreparation(of moment: Duration? = nil) -> Bool {
        let now = self.time.uptime
        return self.format.withLock { format in
            // Another call does it now, or has done it since.
            guard let asked = format?.asked else { return true }
            if let moment, asked >= moment { return true }
            guard now - asked >= Self.preparationPause else { return false }
            format = nil
            return true
        }
    }

    // MARK: - The format of rows

    /// Asks for the store's format, once a minute: the end of an upgrade changes it while replicas run.
    ///
    /// - Throws: ``SharedStoreError``; `newerFormat` if this version was left behind: it refuses the rows that newer ones write.
    nonisolated(nonsending) func reviewFormat() async throws(SharedStoreError) {
        try self.checkClaim()
        let now = self.time.uptime
        let isDue = self.format.withLock { format in
            guard let asked = format?.asked, now - asked >= Self.formatLifetime else { return false }
            format?.asked = now
            return true
        }
        guard isDue else { return }
        let written = try await self.askFormat()
        self.format.withLock { $0?.written = written }
    }

    /// The format in which a row is written.
    ///
    /// - Parameter row: The format of the row as it was read; zero for a new one.
    /// - Returns: The format.
    func format(ofRow row: UInt8) -> UInt8 {
        self.formats.format(written: self.format.withLock { $0?.written } ?? 0, row: row)
    }
}
