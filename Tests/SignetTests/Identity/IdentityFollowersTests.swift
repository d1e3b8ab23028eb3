// SPDX-License-Identifier: Apache-2.0

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

        func standing(of home: any FollowedInstallation) -> ServiceStanding {
            ServiceStanding(of: self.service, .told(nil)) { $0.names }
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
}
