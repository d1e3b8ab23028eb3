// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Makes rows of the installations of a runtime's directory, for a runtime that shares them from now on.
///
/// It has the lock of the directory: no runtime uses it meanwhile. Users, consent, opt-out, devices and the stamp are taken over.
/// Sessions and events are not; the events stay in the directory's journal.
package final class DirectoryImport: Sendable {
    /// The result of an import.
    package struct Report: Sendable, Hashable {
        /// The installations that have a row now, and had none.
        package var made = 0
        /// The installations that had a row; it stayed as it was.
        package var existing = 0
        /// The installations that are too large for a row, even with their current user alone.
        package var tooLarge = 0
        /// The users whom their installation's row has no room for.
        package var usersDropped = 0
        /// The installations whose record cannot be read.
        package var unreadable = 0

        /// Makes a result.
        package init(made: Int = 0, existing: Int = 0) {
            (self.made, self.existing) = (made, existing)
        }
    }

    /// A row to make.
    private struct Row {
        let commit: SharedCommit
        /// The number of users who do not fit.
        let dropped: Int
        /// The latest consents of its users.
        let consents: [UserConsent]
    }

    /// The number of rows of one commit.
    private static let portion = 64
    /// The number of tries of one commit whose answer was lost.
    private static let tries = 4

    private let lock: DirectoryLock
    private let log: StateLog
    private let store: StateStore
    private let workspace: [UInt8]

    /// Opens a directory.
    ///
    /// - Parameter directory: An existing directory of a runtime.
    /// - Throws: `directoryInUse`; `directoryUnusable` if it is not a runtime's, or if a runtime must finish an erasure first;
    ///   `newerFormat`, `diskFailed`.
    package init(directory: String) throws(SignetError) {
        do throws(StorageError) {
            self.lock = try DirectoryLock(directory: directory)
            self.log = try StateLog(directory: directory + "/state")
        } catch {
            throw SignetError(error)
        }
        self.store = StateStore(self.log)
        guard let workspace = try self.store.value(for: StateKey.workspace) else {
            throw SignetError(.directoryUnusable, "\(directory) belongs to no workspace: no runtime has used it.")
        }
        self.workspace = workspace
        // Whoever is being erased must not come back in a row.
        for prefix in [StateKey.tombstones, StateKey.resets] where try !self.store.keys(withPrefix: prefix).isEmpty {
            throw SignetError(
                .directoryUnusable,
                "An erasure in \(directory) is not finished. Open it with a runtime once, then import it."
            )
        }
    }

    /// Makes the rows that are missing; may run again.
    ///
    /// - Parameter store: The store; it is bound to the directory's workspace if it was bound to none.
    /// - Returns: The numbers.
    /// - Throws: `workspaceMismatch`, `newerFormat`, `storeUnreachable`, `storeBusy`, `storeFailed`, and the errors of the disk.
    ///   `outcomeUnknown` in place of `storeUnreachable` and `storeBusy` if rows were made, or may have been. Rows that were made stay.
    package func run(into store: any SharedStore) async throws(SignetError) -> Report {
        let answer = try await self.prepare(store)
        let format = RowFormats.current.format(written: answer.value.written, row: 0)
        var report = Report()
        var rows: [Row] = []
        for key in try self.store.keys(withPrefix: StateKey.identities) {
            let id = InstallationID(String(decoding: key.dropFirst(StateKey.identities.count), as: UTF8.self))
            guard id.isValid, let state = try self.state(key) else {
                report.unreadable += 1
                continue
            }
            let consents = try self.consents(of: state)
            var shared = SharedState(importing: state, at: answer.milliseconds)
            guard let leaving = shared.leaving(toFit: SharedStoreLimits.valueBytes, in: format) else {
                report.tooLarge += 1
                continue
            }
            shared.leave(leaving)
            var commit = SharedCommit(making: id, shared, in: format)
            // The platform lacks facts, and no process of before sends them any more.
            if shared.identity.owesFacts { commit.look = .set(answer.milliseconds) }
            rows.append(Row(commit: commit, dropped: leaving.users.count, consents: consents))
            guard rows.count == Self.portion else { continue }
            try await Self.send(rows, to: store, &report)
            rows = []
        }
        try await Self.send(rows, to: store, &report)
        return report
    }

    /// Releases the directory.
    package func close() {
        self.log.close()
        self.lock.close()
    }

    /// The record of an installation; nil if it is damaged.
    private func state(_ key: [UInt8]) throws(SignetError) -> IdentityState? {
        do throws(SignetError) {
            guard let bytes = try self.store.value(for: key) else { return nil }
            var state = try IdentityState(decoding: bytes)
            for consent in try self.consents(of: state) { state.takeConsentOfDirectory(consent) }
            return state
        } catch {
            guard error.code != .newerFormat, error.isDamage else { throw error }
            return nil
        }
    }

    /// The latest consents of an installation's users; ephemeral users have none.
    private func consents(of state: IdentityState) throws(SignetError) -> [UserConsent] {
        var consents: [UserConsent] = []
        for (mpid, entry) in state.directory.entries.sorted(by: { $0.key < $1.key }) where !entry.isEphemeral {
            if let consent = try self.consent(of: mpid) { consents.append(consent) }
        }
        return consents
    }

    /// The latest consent of a user in the directory; nil if there is none, or it is damaged.
    private func consent(of mpid: MPID) throws(SignetError) -> UserConsent? {
        do throws(SignetError) {
            return try self.store.value(for: StateKey.consent(of: mpid)).flatMap { UserConsent($0) }
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    private func prepare(_ shared: any SharedStore) async throws(SignetError) -> SharedAnswer<SharedFormat> {
        do throws(SharedStoreError) {
            let answer = try await shared.prepare(workspace: self.workspace)
            try RowFormats.current.check(answer.value)
            return answer
        } catch {
            throw .ofImport(error)
        }
    }

    private static func send(
        _ rows: [Row],
        to store: any SharedStore,
        _ report: inout Report
    ) async throws(SignetError) {
        let outcomes: [SharedCommit.Outcome]
        do throws(SignetError) {
            outcomes = try await Self.outcomes(of: rows.map(\.commit), in: store)
        } catch {
            throw error.after(report)
        }
        for (row, outcome) in zip(rows, outcomes) {
            // An earlier try, whose answer was lost, may have made it.
            if case .differs(let found) = outcome, !(found?.tags.contains(row.commit.tag) ?? false) {
                report.existing += 1
            } else {
                report.made += 1
                report.usersDropped += row.dropped
            }
        }
        do throws(SignetError) {
            // Also for rows that are there: an earlier import may have ended before it wrote these.
            for consent in rows.flatMap(\.consents) { try await Self.write(consent, to: store) }
        } catch {
            throw error.after(report)
        }
    }

    /// Writes the consent of a user, unless the store has a later one: of another directory, or of a replica.
    private static func write(_ consent: UserConsent, to store: any SharedStore) async throws(SignetError) {
        let shared = SharedConsent(of: consent.mpid, state: consent.encoded(), tag: .random())
        var known: UUID?
        for attempt in 1...Self.tries {
            do throws(SharedStoreError) {
                guard case .differs(let found?) = try await store.write(shared, replacing: known).value else { return }
                // One that cannot be read stays.
                guard let other = UserConsent(found.state), other.version < consent.version else { return }
                known = found.tag
            } catch {
                guard error.code == .outcomeUnknown, attempt < Self.tries else { throw .ofImport(error) }
            }
        }
        throw .storeBusy
    }

    private static func outcomes(
        of commits: [SharedCommit],
        in shared: any SharedStore
    ) async throws(SignetError) -> [SharedCommit.Outcome] {
        var tries = 1
        var isDoubtful = false
        while true {
            do throws(SharedStoreError) {
                return try await shared.commit(commits).value
            } catch {
                if error.code == .outcomeUnknown { isDoubtful = true }
                guard error.code == .outcomeUnknown, tries < Self.tries else {
                    throw isDoubtful ? .importUnknown(SignetError(error)) : .ofImport(error)
                }
                tries += 1
            }
        }
    }
}

extension SignetError {
    /// An error of the store for someone at a terminal: there is no configuration to change.
    fileprivate static func ofImport(_ error: SharedStoreError) -> SignetError {
        let error = SignetError(error)
        let remedy = "Check the database with `signet store check`, then import the directory again."
        return error.remedy == nil ? error : SignetError(error.code, error.message, remedy: remedy, cause: error.cause)
    }

    /// The error of an import that has made some rows before.
    fileprivate func after(_ report: DirectoryImport.Report) -> SignetError {
        guard report.made > 0, self.code == .storeUnreachable || self.code == .storeBusy else { return self }
        return .imported(report.made, before: self)
    }

    fileprivate static func imported(_ count: Int, before error: SignetError) -> SignetError {
        SignetError(
            .outcomeUnknown,
            "\(count) rows were made before the shared store went away. Import the directory again for the others.",
            cause: error
        )
    }

    fileprivate static func importUnknown(_ error: SignetError) -> SignetError {
        SignetError(
            .outcomeUnknown,
            "An answer of the shared store was lost, so rows may have been made. Import the directory again.",
            cause: error
        )
    }
}

extension SharedState {
    /// The part of an installation's record that all replicas know; it was kept by one directory so far.
    ///
    /// - Parameters:
    ///   - state: The record.
    ///   - milliseconds: The moment of the import by the database's clock, since 1970.
    init(importing state: IdentityState, at milliseconds: Int64) {
        self.init(identity: state, part: SharedPart())
        // Numbers of one directory and its journal; another replica has others.
        self.identity.number = 0
        self.identity.directory.forgetSequences()
        // The moment of the last opt-in is not recorded. What may have been logged before an opt-out stays dropped.
        if state.optedOutAfter != nil, !state.isOptedOut { self.part.eventsFrom = milliseconds }
        self.identity.optedOutAfter = nil
        // Of one directory, which knows it by the numbers of its events.
        self.identity.pendingIdentify = nil
    }
}

extension SharedCommit {
    /// A commit that makes the row of an installation without session.
    fileprivate init(making id: InstallationID, _ state: SharedState, in format: UInt8) {
        self.init(
            id,
            key: SharedIDs.key(of: Array(id.rawValue.utf8)),
            if: .isMissing,
            tag: .random(),
            state: state.encoded(as: format)
        )
        self.mentions = state.mentioned.sorted()
    }
}

extension UserDirectory {
    /// Forgets which events of one journal belong to former first users.
    fileprivate mutating func forgetSequences() {
        self = UserDirectory(
            createdAt: self.createdAt,
            entries: self.entries,
            current: self.current,
            firstUser: self.firstUser,
            vacantSince: self.vacantSince,
            anonymousAttributes: self.anonymousAttributes,
            anonymousConsent: self.anonymousConsent,
            unsentAnonymousConsent: self.unsentAnonymousConsent,
            lastChange: self.lastChange
        )
    }
}
