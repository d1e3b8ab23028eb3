// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Others who follow a login have it before anybody else can log in.
@Suite(.watched) struct IdentityFollowersTests {
    /// A service that follows a login for as long as the test says.
    private final class SlowService: LinkedService, SignetService {
        let begun = Promise<Void>()
        let end = Promise<Void>()

        var definition: ServiceDefinition {
            ServiceDefinition(
                IdentitySyncOutcome.Service(name: "Slow"),
                tag: "t",
                erasedCount: "slow.records_erased",
                problems: [],
                erase: { _, _, _ in (0, 0) },
                make: { _ in self }
            )
        }

        func followUser(of home: any FollowedInstallation) async throws(SignetError) {
            self.begun.resolve(())
            _ = await self.end.value()
        }

        func syncState(of home: any FollowedInstallation) -> ServiceSyncState {
            ServiceSyncState(of: self.service, .synced(nil)) { $0.names }
        }

        var followsLogin: Bool { true }
        var forwardsEvents: Bool { false }
        var linkedManagers: [any LinkedManager] { [] }
        func removeManager(of id: InstallationID) -> (any LinkedManager)? { nil }
        func resume(_ home: any FollowedInstallation, isLaunch: Bool) {}
        func followOptOut(of home: any FollowedInstallation) async -> Bool { true }
        func visit(_ home: any FollowedInstallation) async throws(SignetError) -> LinkedVisit { .nothing }
        func hasRecords(_ number: UInt32) -> Bool { false }
        func follow(_ event: Event, of home: any FollowedInstallation) {}
        func followForeground(of home: any FollowedInstallation, isInForeground: Bool) {}
        func erase(_ mpid: MPID, in home: any FollowedInstallation, isCurrent: Bool) async throws(SignetError) {}
        func erase(_ mpid: MPID, of id: InstallationID, _ installation: AbsentInstallation) async throws(SignetError) {}
        func takeLoggedEvents() async {}
        func stop() async {}
        func finish() {}
    }

    @Test func nobodyLogsInWhileTheFollowersOfALoginAreTold() async throws {
        let known = try await KnownInstallation()
        let service = SlowService()
        try await known.next(services: [service]).run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let first = NetworkCall.login.code(on: installation)
            _ = await service.begun.value()
            for call in NetworkCall.allCases where call != .identified {
                #expect(await call.code(on: installation) == .requestInProgress, "\(call)")
            }
            service.end.resolve(())
            #expect(await first == nil)
            #expect(await NetworkCall.logout.code(on: installation) == nil)
        }
    }

    /// While the services follow, the caller still waits; disk and subscribers have the user by then.
    @Test func aLoginIsOnDiskThenPublishedAndThenItsCallerGoesOn() async throws {
        let known = try await KnownInstallation()
        let service = SlowService()
        let hasReturned = Locked(false)
        try await known.next(services: [service]).run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            var changes = installation.userChanges().makeAsyncIterator()
            async let login: Void = {
                _ = try await installation.login([.customerID: "c-2", .email: "a@x"])
                hasReturned.withLock { $0 = true }
            }()
            let change = try #require(await changes.next(isolation: #isolation))
            #expect(change.current?.identities[.email]?.value == "a@x")
            // What a process that dies now leaves behind.
            let image = try TemporaryFolder(copying: known.folder)
            _ = await service.begun.value()
            #expect(installation.currentUser?.identities[.email]?.value == "a@x")
            #expect(!hasReturned.withLock { $0 })
            try await EmulatedSignet(in: image.path, platform: known.platform, clock: known.clock).run { next in
                let restored = try await next.runtime.open("one", identify: .none).currentUser
                #expect(restored?.identities[.customerID]?.value == "c-2")
                #expect(restored?.identities[.email]?.value == "a@x")
            }
            service.end.resolve(())
            try await login
            #expect(hasReturned.withLock { $0 })
        }
    }
}
