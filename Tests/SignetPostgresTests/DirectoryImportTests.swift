// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetEmulator
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct Foundation.UUID

@testable import SignetPostgres

/// A server that had one process, and shares its installations from now on.
@Suite(.watched) struct DirectoryImportTests {
    /// The facts that move.
    private struct Facts: Hashable {
        let stamp: UUID
        let user: MPID?
        let isLoggedIn: Bool?
        let identities: [IdentityType: String]
        let attributes: [String: AttributeValue]
        let users: [MPID]
        let isOptedOut: Bool
        let consent: ConsentState?

        init(_ installation: Installation) {
            let user = installation.currentUser
            self.stamp = installation.deviceApplicationStamp
            (self.user, self.isLoggedIn) = (user?.mpid, user?.isLoggedIn)
            self.identities = user?.identities.mapValues(\.value) ?? [:]
            self.attributes = user?.attributes ?? [:]
            self.users = installation.allUsers.map { $0.mpid }.sorted()
            (self.isOptedOut, self.consent) = (installation.isOptedOut, user?.consent)
        }
    }

    private static let ids: [InstallationID] = ["known", "silent", "guest"]

    /// Three installations: one logged in, after another user; one opted out; one whose user is unknown.
    private static func fill(
        _ folder: TemporaryFolder,
        _ platform: Emulator,
        _ clock: ManualClock
    ) async throws -> [Facts] {
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        return try await signet.run { signet in
            var consent = ConsentState()
            consent.gdpr["analytics"] = Consent(true)
            let known = try await signet.runtime.open("known", identify: .none)
            try await known.login([.customerID: "c-1"])
            try await known.login([.customerID: "c-2", .email: "c2@shop.example"])
            try await known.setAttribute("gold", for: "tier")
            try await known.setConsent(consent)
            try known.log(.custom("waits"))
            let silent = try await signet.runtime.open("silent", identify: .none)
            try await silent.login([.customerID: "c-3"])
            try await silent.setOptedOut(true)
            let guest = try await signet.runtime.open("guest", identify: .none)
            try await guest.identify()
            return [known, silent, guest].map(Facts.init)
        }
    }

    @Test func eachInstallationIsTheSameForARuntimeWithTheStore() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let clock = ManualClock()
        let platform = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let before = try await Self.fill(folder, platform, clock)
        #expect(before.map { $0.users.count } == [2, 1, 1])
        #expect(before.map { $0.isOptedOut } == [false, true, false])
        let store = try PostgresBadDaysTests.store(server.url(database))
        let source = try DirectoryImport(directory: folder.path)
        #expect(try await source.run(into: store) == DirectoryImport.Report(made: 3))
        let rows = try await Self.rows(of: store, before)
        // A second time nothing is left to do.
        #expect(try await source.run(into: store) == DirectoryImport.Report(existing: 3))
        #expect(try await Self.rows(of: store, before) == rows)
        source.close()
        #expect(rows.map(\.id) == Self.ids.sorted { $0.rawValue < $1.rawValue })
        #expect(rows.allSatisfy { $0.session == nil && $0.look == nil && $0.outbox.isEmpty })
        let shared = try EmulatedSignet(in: other.path, platform: platform, clock: clock) { configuration in
            configuration.fleet = FleetConfiguration(store: store)
        }
        let after = try await shared.run { shared in
            var after: [Facts] = []
            for id in Self.ids { after.append(Facts(try await shared.runtime.open(id))) }
            return after
        }
        #expect(after == before)
        await store.close()
    }

    /// The rows that mention the users of some installations.
    private static func rows(of store: PostgresStore, _ facts: [Facts]) async throws -> [SharedInstallation] {
        var keys: [UUID] = []
        for user in facts.flatMap({ $0.users }) {
            let found = try await store.mentions(of: user, after: nil, limit: 9).value
            #expect(found.count == 1)
            keys += found
        }
        return try await store.read(Array(Set(keys))).value.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    @Test func aDirectoryInUseIsRefused() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { _ in
            let error = #expect(throws: SignetError.self) { try DirectoryImport(directory: folder.path) }
            #expect(error?.code == .directoryInUse)
        }
        let source = try DirectoryImport(directory: folder.path)
        // And the other way round.
        let error = #expect(throws: SignetError.self) { _ = try EmulatedSignet(in: folder.path) }
        #expect(error?.code == .directoryInUse)
        source.close()
    }

    @Test func aFolderThatNoRuntimeHasUsedAndAnotherWorkspaceAreRefused() async throws {
        let (folder, empty) = (try TemporaryFolder(), try TemporaryFolder())
        let error = #expect(throws: SignetError.self) { try DirectoryImport(directory: empty.path) }
        #expect(error?.code == .directoryUnusable)
        try await EmulatedSignet(in: folder.path).run { _ in }
        let store = MemorySharedStore()
        _ = try await store.prepare(workspace: [1])
        let source = try DirectoryImport(directory: folder.path)
        let mismatch = await #expect(throws: SignetError.self) { try await source.run(into: store) }
        #expect(mismatch?.code == .workspaceMismatch)
        source.close()
    }

    @Test func aCommitWhoseAnswerWasLostIsCountedOnce() async throws {
        let clock = ManualClock()
        let platform = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
        let folder = try TemporaryFolder()
        _ = try await Self.fill(folder, platform, clock)
        let store = MemorySharedStore()
        store.faults.inject(.replyLost, on: .commit)
        let source = try DirectoryImport(directory: folder.path)
        #expect(try await source.run(into: store) == DirectoryImport.Report(made: 3))
        source.close()
    }
}
#endif
