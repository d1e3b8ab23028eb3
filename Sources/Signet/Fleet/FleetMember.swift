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
    }

    /// The fate of a commit.
    enum CommitResult: Sendable {
        case committed(sent: Duration, received: Duration)
        /// The row is another one; nil if there is none.
        case differs(Answer<SharedInstallation?>)
    }

    let store: any SharedStore
    let whenUnreachable: FleetConfiguration.Unreachable
    /// The id of this process's directory.
    let replica: UUID
    let clock: FleetClock
    let time: TimeSource
    /// A hash of the key of the workspace.
    let workspace: [UInt8]
    /// Tells tries of one joining from each other: the answer of the first may be lost.
    private let joining = UUID.random()
    /// True once the store was found usable.
    private let isReady = Locked(false)
    private let reader = RowReader()
    /// The erasures that this process has acknowledged.
    let erased = Locked<Set<UUID>>([])
    /// True while this process hears of erasures: it has asked since it was last without the store, and does so each second.
    let hearsOfErasures = Locked(false)

    /// The time that the commit of one try and the reading after it may take before the row counts as unreadable.
    static let readingLimit = 3

    /// Makes the member of a process; it asks nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: The store.
    ///   - replica: The id that the directory keeps.
    ///   - workspace: A hash of the workspace's key.
    ///   - clock: The shared clock.
    ///   - time: The clocks, with the shared clock as the wall clock.
    init(
        _ configuration: FleetConfiguration,
        replica: UUID,
        workspace: [UInt8],
        clock: FleetClock,
        time: TimeSource
    ) {
        self.store = configuration.store
        self.whenUnreachable = configuration.whenUnreachable
        (self.replica, self.workspace, self.clock, self.time) = (replica, workspace, clock, time)
    }

    // MARK: - Calls

    /// Asks the store, after it was found usable.
    ///
    /// - Parameter body: The question.
    /// - Returns: The answer with its moments.
    /// - Throws: ``SharedStoreError``.
    nonisolated(nonsending) func ask<Value: Sendable>(
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SharedStoreError) -> Answer<Value> {
        try await self.prepare()
        return try await self.send(body)
    }

    private nonisolated(nonsending) func send<Value: Sendable>(
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SharedStoreError) -> Answer<Value> {
        let sent = self.time.uptime
        let answer = try await body(self.store)
        let received = self.time.uptime
        self.clock.note(answer.milliseconds, sent: sent, received: received)
        return Answer(value: answer.value, milliseconds: answer.milliseconds, sent: sent, received: received)
    }

    /// Finds out, once, whether the store can be used, and joins the replicas.
    private nonisolated(nonsending) func prepare() async throws(SharedStoreError) {
        guard !self.isReady.withLock({ $0 }) else { return }
        let (workspace, replica, joining) = (self.workspace, self.replica, self.joining)
        _ = try await self.send { store throws(SharedStoreError) in try await store.prepare(workspace: workspace) }
        _ = try await self.send { store throws(SharedStoreError) in
            try await store.join(replica, token: joining)
        }
        self.isReady.withLock { $0 = true }
    }

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
            return try await self.ask { store throws(SharedStoreError) in try await store.read(keys) }
        } catch {
            // A reading has no outcome that could be unknown: without an answer the store is away.
            guard error.code != .outcomeUnknown else {
                throw SignetError(SharedStoreError(.unreachable, error.message))
            }
            throw SignetError(error)
        }
    }

    /// Commits a change of one row; if the reply is lost, the row's tags say whether it was taken.
    ///
    /// - Returns: Its fate.
    /// - Throws: ``SignetError``: `outcomeUnknown` if neither the reply nor the row says it.
    nonisolated(nonsending) func commit(_ change: SharedCommit) async throws(SignetError) -> CommitResult {
        do throws(SharedStoreError) {
            let answer = try await self.ask { store throws(SharedStoreError) in try await store.commit([change]) }
            guard let outcome = answer.value.first else {
                throw SharedStoreError(.failed, "The store answered nothing.")
            }
            switch outcome {
            case .committed: return .committed(sent: answer.sent, received: answer.received)
            case .differs(let row):
                return Self.fate(
                    of: change,
                    Answer(
                        value: row,
                        milliseconds: answer.milliseconds,
                        sent: answer.sent,
                        received: answer.received
                    )
                )
            }
        } catch {
            guard error.code == .outcomeUnknown else { throw SignetError(error) }
            return try await self.findOut(change)
        }
    }

    private nonisolated(nonsending) func findOut(_ change: SharedCommit) async throws(SignetError) -> CommitResult {
        for _ in 0..<Self.readingLimit {
            let answer: Answer<SharedInstallation?>
            do throws(SignetError) { answer = try await self.read(change.key) } catch { continue }
            let isCommitted = answer.value?.tags.contains(change.tag) ?? false
            // With all remembered tags newer than the one it expected, nobody knows; so too where a row was made and removed.
            if !isCommitted, let row = answer.value, row.tags.count >= SharedStoreLimits.tags,
                change.expectedTag.map({ !row.tags.contains($0) }) ?? true
            {
                throw .storeOutcomeUnknown
            }
            return Self.fate(of: change, answer)
        }
        throw .storeOutcomeUnknown
    }

    private static func fate(of change: SharedCommit, _ answer: Answer<SharedInstallation?>) -> CommitResult {
        // An earlier try was taken. If other commits followed, the next reading brings them.
        if let row = answer.value, row.tags.contains(change.tag) {
            return .committed(sent: answer.sent, received: answer.received)
        }
        return .differs(answer)
    }

    /// Asks the store; an error is one of Signet's.
    nonisolated(nonsending) func asked<Value: Sendable>(
        _ body: nonisolated(nonsending) (any SharedStore) async throws(SharedStoreError) -> SharedAnswer<Value>
    ) async throws(SignetError) -> Value {
        do throws(SharedStoreError) { return try await self.ask(body).value } catch { throw SignetError(error) }
    }

    // MARK: - The end

    /// Says that nobody must wait for this replica, and closes the connections.
    nonisolated(nonsending) func leave() async {
        let replica = self.replica
        if self.isReady.withLock({ $0 }) {
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
        case .tag(let tag), .unchanged(let tag, _): tag
        }
    }
}

extension SignetError {
    /// An error of the shared store.
    init(_ error: SharedStoreError) {
        switch error.code {
        case .unreachable:
            self.init(
                .storeUnreachable,
                "The shared store is not reached. Nothing was changed. \(error.message)",
                cause: error
            )
        case .outcomeUnknown:
            self.init(.outcomeUnknown, "The answer of the shared store was lost. \(error.message)", cause: error)
        case .busy: self.init(.storeBusy, "Too many calls wait for the shared store. \(error.message)", cause: error)
        case .newerFormat: self.init(.newerFormat, error.message, cause: error)
        case .workspaceMismatch: self.init(.workspaceMismatch, error.message, cause: error)
        case .cancelled:
            self.init(.cancelled, "The calling task was cancelled. The change may have happened.", cause: error)
        case .schemaMissing, .notPermitted, .secureConnectionFailed, .invalidArgument, .failed:
            self.init(.storeFailed, "The shared store cannot be used: \(error.message)", cause: error)
        }
    }

    static let storeOutcomeUnknown = SignetError(
        .outcomeUnknown,
        "The answer of the shared store was lost, and the row does not say if the change was made. Read it with refresh()."
    )

    static let storeBusy = SignetError(
        .storeBusy,
        "Other replicas changed the installation each time that this one tried to. Nothing was changed. Try again."
    )

    static let superseded = SignetError(
        .superseded,
        "Another replica has taken over the identity call of this installation. The answer of this one was not applied."
    )

    /// The call is not there yet for installations in a shared store.
    static func notShared(_ call: String) -> SignetError {
        SignetError(.invalidConfiguration, "\(call) does not work with a shared store in this version.")
    }
}
