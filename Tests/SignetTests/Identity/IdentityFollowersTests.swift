// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Others who follow a login have it before anybody else can log in.
@Suite(.watched) struct IdentityFollowersTests {
    /// An installation whose followers take as long as the test says.
    private final class SlowHome: IdentityHome {
        let core: InstallationCore
        let begun = Promise<Void>()
        let end = Promise<Void>()

        init(_ core: InstallationCore) {
            self.core = core
        }

        var isRetired: Bool { self.core.isRetired }

        func commit(
            _ state: IdentityState,
            change: (previous: User?, current: User)?,
            firstUser: MPID?,
            updates: [UserUpdate]
        ) -> Bool {
            self.core.commit(state, change: change, firstUser: firstUser, updates: updates)
        }

        func syncIdentity() async {
            self.begun.resolve(())
            _ = await self.end.value()
        }

        func save(_ state: IdentityState, updates: [UserUpdate]) throws(SignetError) {
            try self.core.save(state, updates: updates)
        }

        func saveOptOut(_ state: IdentityState) throws(SignetError) -> SavedOptOut {
            try self.core.saveOptOut(state)
        }

        func withoutCarriedRemovals(_ state: IdentityState) -> IdentityState {
            self.core.withoutCarriedRemovals(state)
        }

        func forget(_ mpid: MPID) throws(SignetError) -> IdentityState? {
            try self.core.forget(mpid)
        }
    }

    @Test func nobodyLogsInWhileTheFollowersOfALoginAreTold() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try signet.runtime.open("one", identify: .none)
            let home = SlowHome(installation.core)
            await installation.core.identity.home.set(home)
            async let first = NetworkCall.login.code(on: installation)
            _ = await home.begun.value()
            for call in NetworkCall.allCases where call != .identified {
                #expect(await call.code(on: installation) == .requestInProgress, "\(call)")
            }
            home.end.resolve(())
            #expect(await first == nil)
            #expect(await NetworkCall.logout.code(on: installation) == nil)
        }
    }
}
