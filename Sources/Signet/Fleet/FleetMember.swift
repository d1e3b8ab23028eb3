// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// This process among the replicas that share a store: its id, the shared clock, and its calls on the store.
final class FleetMember: Sendable {
    /// An answer with the moments between which it was asked for and received, as uptime.
    struct Answer<Value: Sendable>: Sendable {
        let value: Value
        /// The database's time, in milliseconds since 1970.
        let milliseconds: Int64
        let sent: Duration
        let received: Duration
        /// The number of erasures that wait for this replica; nil if the answer does not say it.
        var pendingErasures: Int?
        /// The token of this replica's last joining; nil if the answer does not say it.
        var joining: UUID?
    }

    /// The directory of a process, with the id that it keeps.
    enum Directory: Sendable {
        /// It is empty, and the id was made now.
        case new(UUID)
        /// It has the id of an earlier process, or users of its own.
        case used(UUID)
    }

    /// The meaning of an answer for the health of the store.
    enum Evidence: Sendable {
        /// Calls of its kind work.
        case works
        /// The store was reached; a change that changed nothing does not say that changes work.
        case reached
        case nothing
    }

    /// The fate of a commit.
    enum CommitResult: Sendable {
        case committed(sent: Duration, received: Duration)
        /// The row is another one; nil if there is none.
        case differs(Answer<SharedInstallation?>)
    }

    let store: any SharedStore
    let whenUnreachable: FleetConfiguration.Unreachable
    /// The age of a reading that is too old for the user of an event; nil for none.
    let maximumStaleness: Duration?
    let clock: FleetClock
    let time: TimeSource
    /// A hash of the key of the workspace.
    let workspace: [UInt8]
    /// The token of this process: tells tries of one joining, and processes on copies of one directory, from each other.
    let joining = UUID.random()
    /// Finds another process on a copy of the directory.
    let claim = Locked(DirectoryClaim())
    /// True once a flush was answered with the token of a joining.
    let knowsJoining = Locked(false)
    /// The formats that this process knows.
    let formats: RowFormats
    /// The format of the store; nil until the store was found usable.
    let format = Locked<StoreFormat?>(nil)
    private let observer: any SignetObserver
    /// Hears whether the store answers; nil in tests of this type alone.
    let health: HealthMonitor?
    let reader: RowReader
    /// The erasures that this process has carried out on its disk.
    let erased = Locked<[UUID: ErasureStage]>([:])
    /// The erasures that the directory has carried out, in all of its processes; nil in tests of this type alone.
    let carriedOut: (any CarriedOutErasures)?
    /// The erasures of the store that the directory lacks; nil until they were compared.
    let lacking = Locked<[SharedErasure]?>(nil)
    let directory: Directory
    /// The moment of joining, if the directory was made by this process and the store does not know it; else nil.
    let begin = Locked<(milliseconds: Int64, uptime: Duration)?>(nil)
    /// True while this process hears of erasures: it has asked since it was last without the store, and each flush says if there are any.
    let hearsOfErasures = Locked(false)

    /// The format that the store named last.
    struct StoreFormat {
        var written: Int
        /// The uptime at which it was last asked for.
        var asked: Duration
    }

    /// The time between two readings of clocks after which they are not compared.
    private static let pause = Duration.milliseconds(100)

    /// The number of times that a change without an answer is sent.
    private static let sendingLimit = 3
    /// The number of readings after a lost answer before its outcome counts as unknown.
    static let readingLimit = 6
    /// The time after which no further one is begun: each may take the store's whole limit.
    private static let findingLimit = Duration.seconds(3)
    /// The pause after the first of these readings; each further one is twice as long.
    private static let findingPause = Duration.milliseconds(50)

    /// Makes the member of a process; it asks nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: The store.
    ///   - directory: The directory of this process.
    ///   - workspace: A hash of the workspace's key.
    ///   - clock: The shared clock.
    ///   - time: The clocks, with the shared clock as the wall clock.
    ///   - observer: Hears of an offset of the wall clock.
    ///   - health: Hears whether the store answers.
    ///   - carriedOut: The erasures that the directory has carried out.
    ///   - formats: The formats that this process knows.
    init(
        _ configuration: FleetConfiguration,
        _ directory: Directory,
        workspace: [UInt8],
        clock: FleetClock,
        time: TimeSource,
        observer: any SignetObserver,
        health: HealthMonitor? = nil,
        carriedOut: (any CarriedOutErasures)? = nil,
        formats: RowFormats = .current
    ) {
        self.store = configuration.store
        self.whenUnreachable = configuration.whenUnreachable
        self.maximumStaleness = configuration.maximumStaleness
        self.directory = directory
        (self.workspace, self.clock, self.time) = (workspace, clock, time)
        (self.observer, self.health, self.formats) = (observer, health, formats)
        self.carriedOut = carriedOut
        self.reader = RowReader(on: time)
    }

    /// The id of this process's directory.
    var replica: UUID {
        switch self.directory {
        case .new(let replica), .used(let replica): replica
        }
    }

    // MARK: - Calls

    /// Asks the store, after it was found usable.
    ///
    /// - Parameters:
    ///   - calls: Its kind.
    ///   - evidence: The meaning of an answer for the health.
    ///   - body: The question.
    /// - Returns: The answer with its moments.
    /// - Throws: ``SharedStoreError``.
    nonisolated(nonsending) func ask<Value: Sendable>(
        _ calls: HealthReason.StoreCalls,
        evidence: (Value) -> Evidence = { _ in .works },
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SharedStoreError) -> Answer<Value> {
        try self.checkClaim()
        try await self.prepare()
        let asked = self.time.uptime
        do throws(SharedStoreError) {
            return try await self.send(calls, evidence: evidence, body)
        } catch {
            // Nothing has happened: tables that were made anew know neither the workspace nor this replica.
            guard error.code == .schemaMissing, self.forgetPreparation(of: asked) else { throw error }
        }
        try await self.prepare()
        return try await self.send(calls, evidence: evidence, body)
    }

    /// - Parameters:
    ///   - calls: Its kind.
    ///   - evidence: The meaning of an answer for the health; a failure always counts.
    ///   - body: The question.
    /// - Returns: The answer with its moments.
    /// - Throws: ``SharedStoreError``.
    nonisolated(nonsending) func send<Value: Sendable>(
        _ calls: HealthReason.StoreCalls,
        evidence: (Value) -> Evidence = { _ in .works },
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SharedStoreError) -> Answer<Value> {
        let sent = self.time.uptime
        let answer: SharedAnswer<Value>
        do throws(SharedStoreError) {
            answer = try await body(self.store)
        } catch {
            if error.isOfStore { self.health?.storeFailed(SignetError(error).code, calls) }
            throw error
        }
        let received = self.time.uptime
        switch evidence(answer.value) {
        case .works: self.health?.storeAnswered(calls)
        case .reached: self.health?.storeReached(calls)
        case .nothing: break
        }
        self.clock.note(answer.milliseconds, sent: sent, received: received)
        self.compareClocks(at: received)
        return Answer(
            value: answer.value,
            milliseconds: answer.milliseconds,
            sent: sent,
            received: received,
            pendingErasures: answer.pendingErasures,
            joining: answer.joining
        )
    }

    /// Reports an offset of the machine's own clock, which the shared one replaces for all else.
    private func compareClocks(at uptime: Duration) {
        let milliseconds = self.time.machineMilliseconds
        // A process that stood still between the readings would take the pause for an offset.
        guard self.time.uptime - uptime < Self.pause else { return }
        switch self.clock.compare(milliseconds, at: uptime) {
        case .began(let offset): self.observer.clockOffsetChanged(.milliseconds(offset))
        case .ended: self.observer.clockOffsetChanged(nil)
        case nil: break
        }
    }

    /// The offset of the machine's own clock to that of the store, positive if it is ahead; nil before the first answer.
    var clockOffset: Duration? {
        self.clock.offset(of: self.time.machineMilliseconds, at: self.time.uptime).map { .milliseconds($0) }
    }

    // MARK: - Rows

    /// Reads one row, together with those of other callers.
    ///
    /// - Returns: The row; nil if there is none.
    /// - Throws: ``SignetError``.
    nonisolated(nonsending) func read(_ key: UUID) async throws(SignetError) -> Answer<SharedInstallation?> {
        try await self.reader.row(key) { keys throws(SignetError) in try await self.read(keys) }
    }

    /// Reads rows.
    nonisolated(nonsending) func read(_ keys: [UUID]) async throws(SignetError) -> Answer<[SharedInstallation]> {
        do throws(SharedStoreError) {
            return try await self.look { store throws(SharedStoreError) in try await store.read(keys) }
        } catch {
            throw SignetError(error)
        }
    }

    /// Commits a change of one row; if the reply is lost, the row's tags say whether it was taken.
    ///
    /// A row that is as before says nothing: the change may wait for a lock in the database, and come later. The same change goes again
    /// then, with the same tag, and one of the two is taken.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - once: True if it is not sent again.
    /// - Returns: Its fate.
    /// - Throws: ``SignetError``: `outcomeUnknown` if neither the reply nor the row says it.
    nonisolated(nonsending) func commit(
        _ change: SharedCommit,
        once: Bool = false
    ) async throws(SignetError) -> CommitResult {
        var isDoubtful = false
        for _ in 0..<(once ? 1 : Self.sendingLimit) {
            do throws(SharedStoreError) {
                let answer = try await self.ask(.commits, evidence: { $0 == [.committed] ? .works : .reached }) {
                    store throws(SharedStoreError) in
                    try await store.commit([change])
                }
                guard let outcome = answer.value.first else {
                    throw SharedStoreError(.failed, "The store answered nothing.")
                }
                switch outcome {
                case .committed: return .committed(sent: answer.sent, received: answer.received)
                case .differs(let row):
                    let answer = Answer(
                        value: row,
                        milliseconds: answer.milliseconds,
                        sent: answer.sent,
                        received: answer.received
                    )
                    guard let fate = Self.fate(of: change, answer, isDoubtful: isDoubtful) else { break }
                    return fate
                }
                throw SharedStoreError(.outcomeUnknown, "The row does not say what became of the change.")
            } catch {
                guard isDoubtful || error.code == .outcomeUnknown else { throw SignetError(error) }
                isDoubtful = true
                if let fate = try await self.findOut(change) { return fate }
            }
        }
        throw .storeOutcomeUnknown
    }

    /// Reads the fate of a change.
    ///
    /// - Returns: Its fate; nil if the row is as it was before the change.
    /// - Throws: ``SignetError``: `outcomeUnknown` if the row does not say it.
    private nonisolated(nonsending) func findOut(_ change: SharedCommit) async throws(SignetError) -> CommitResult? {
        let begin = self.time.uptime
        for attempt in 0..<Self.readingLimit {
            if attempt > 0 {
                // The store may need a moment, as its connections do. Cancelled: the outcome stays unknown.
                let pause = Self.findingPause * (1 << (attempt - 1))
                guard self.time.uptime - begin + pause < Self.findingLimit else { break }
                do { try await self.time.sleep(for: pause) } catch { break }
            }
            let answer: Answer<SharedInstallation?>
            do throws(SignetError) { answer = try await self.read(change.key) } catch { continue }
            guard answer.value?.tag != change.expectedTag else { return nil }
            guard let fate = Self.fate(of: change, answer, isDoubtful: true) else { break }
            return fate
        }
        throw .storeOutcomeUnknown
    }

    /// The fate of a change by the row.
    ///
    /// - Returns: The fate; nil if an earlier try may have been taken, and the row does not say so.
    private static func fate(
        of change: SharedCommit,
        _ answer: Answer<SharedInstallation?>,
        isDoubtful: Bool
    ) -> CommitResult? {
        // An earlier try was taken. If other commits followed, the next reading brings them.
        if let row = answer.value, row.tags.contains(change.tag) {
            return .committed(sent: answer.sent, received: answer.received)
        }
        // All remembered tags are newer than the expected one, or the row was made and removed: the row cannot tell.
        if isDoubtful, let row = answer.value, row.tags.count >= SharedStoreLimits.tags,
            change.expectedTag.map({ !row.tags.contains($0) }) ?? true
        {
            return nil
        }
        return .differs(answer)
    }

    // MARK: - The end

    /// Says that nobody must wait for this replica, and closes the connections.
    nonisolated(nonsending) func leave() async {
        let replica = self.replica
        // Another process on a copy of the directory lives on under the same id.
        if self.format.withLock({ $0 != nil }), !self.claim.withLock({ $0.isLost }) {
            // The others wait for its flush for 15 s then.
            do throws(SharedStoreError) { try await self.store.leave(replica) } catch {}
        }
        await self.store.close()
    }

    /// Frees a slot; if that fails, it ends by its time.
    nonisolated(nonsending) func release(_ slot: SharedSlotRequest) async {
        do throws(SharedStoreError) { try await self.store.releaseSlot(slot) } catch {}
    }
}

extension SharedCommit {
    /// The tag that the row must have; nil if there must be no row.
    var expectedTag: UUID? {
        switch self.condition {
        case .isMissing: nil
        case .tag(let tag), .unchanged(let tag, _, _): tag
        }
    }
}

extension SharedStoreError {
    /// The same error for a question that changes nothing: one whose answer is lost leaves nothing in doubt.
    var ofReading: SharedStoreError {
        self.code == .outcomeUnknown ? SharedStoreError(.unreachable, self.message) : self
    }

    /// True if the store could not be asked, or did not answer as it should; false if the caller or another client is the reason.
    fileprivate var isOfStore: Bool {
        switch self.code {
        case .cancelled, .invalidArgument, .locked: false
        default: true
        }
    }
}
