// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

extension SharedStoreConformance {
    /// A case at work: its store, its tools, and the checks.
    struct Bench: Sendable {
        let name: String
        let store: any SharedStore
        let tools: Tools

        // MARK: - Checks

        func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ rule: String) throws(Failure) {
            guard found != expected else { return }
            throw Failure(name: self.name, rule: rule, expected: "\(expected)", found: "\(found)")
        }

        func expect(_ holds: Bool, found: @autoclosure () -> String, _ rule: String) throws(Failure) {
            guard !holds else { return }
            throw Failure(name: self.name, rule: rule, expected: "the rule", found: found())
        }

        func expectError(
            _ code: SharedStoreError.Code,
            _ rule: String,
            _ body: () async throws -> Void
        ) async throws(Failure) {
            var found = "no error"
            do {
                try await body()
            } catch let error as SharedStoreError {
                if error.code == code { return }
                found = "\(error)"
            } catch {
                found = "\(error)"
            }
            throw Failure(name: self.name, rule: rule, expected: code.rawValue, found: found)
        }

        // MARK: - Rows

        /// A commit that makes a row with a random key.
        func creation(_ state: [UInt8] = [1, 2, 3], key: UUID = .random()) -> SharedCommit {
            SharedCommit(
                InstallationID("conformance-\(key)"),
                key: key,
                if: .isMissing,
                tag: .random(),
                state: state
            )
        }

        /// A commit on a row as it was read.
        func change(_ row: SharedInstallation, state: [UInt8]? = nil) -> SharedCommit {
            SharedCommit(row.id, key: row.key, if: .tag(row.tag), tag: .random(), state: state)
        }

        /// A session that began at a moment.
        func session(started: Int64 = 1_000) -> SharedInstallation.OpenSession {
            SharedInstallation.OpenSession(id: .random(), started: started, last: started, events: 0)
        }

        func commit(_ commit: SharedCommit) async throws -> SharedCommit.Outcome {
            try self.one(of: try await self.store.commit([commit]).value, "a commit has one outcome")
        }

        /// Commits, and fails the case if that is refused.
        func mustCommit(_ commit: SharedCommit) async throws {
            try self.expect(try await self.commit(commit), .committed, "the commit is taken")
        }

        /// Makes a row, and returns it as it must be.
        func makeRow(_ edit: (inout SharedCommit) -> Void = { _ in }) async throws -> SharedInstallation {
            var creation = self.creation()
            edit(&creation)
            try await self.mustCommit(creation)
            return self.row(made: creation)
        }

        /// The row that a creation makes.
        func row(made commit: SharedCommit) -> SharedInstallation {
            var row = SharedInstallation(
                key: commit.key,
                id: commit.id,
                state: commit.state ?? [],
                tag: commit.tag,
                tags: [commit.tag]
            )
            if case .begin(let session) = commit.session { row.session = session }
            if case .set(let look) = commit.look { row.look = look }
            if case .set(let outbox) = commit.outbox { row.outbox = outbox }
            return row
        }

        func read(_ key: UUID) async throws -> SharedInstallation? {
            let rows = try await self.store.read([key]).value
            try self.expect(rows.count <= 1, found: "\(rows)", "a key has one row at most")
            return rows.first
        }

        /// Reads a row that must be there.
        func mustRead(_ key: UUID) async throws -> SharedInstallation {
            guard let row = try await self.read(key) else {
                throw Failure(name: self.name, rule: "the row is read", expected: "a row", found: "none")
            }
            return row
        }

        func one<Value>(of values: [Value], _ rule: String) throws(Failure) -> Value {
            guard let value = values.first, values.count == 1 else {
                throw Failure(name: self.name, rule: rule, expected: "one", found: "\(values)")
            }
            return value
        }

        // MARK: - Time

        /// Returns when the time of the database is later than a moment.
        func wait(past milliseconds: Int64) async throws {
            while try await self.store.read([]).milliseconds <= milliseconds {
                try await self.tools.passTime(.milliseconds(2))
            }
        }
    }
}
