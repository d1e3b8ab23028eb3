// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// What is documented of identity calls and had no test of its own.
@Suite(.watched) struct DocumentedIdentityTests {
    /// An installation on which a guest has logged in, each with an event.
    private func linked(
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (EmulatedSignet, Installation, _ guest: User, _ customer: User) async throws -> Void
    ) async throws -> EmulatedSignet {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: clock, configure: configure)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("one")
            _ = try await installation.initialIdentifyResult()
            try installation.log(.custom("anonymous"))
            clock.advance(by: .milliseconds(500))
            let result = try await installation.login([.customerID: "c-1"])
            try installation.log(.custom("known"))
            try await body(signet, installation, try #require(result.previousUser), result.user)
        }
        return signet
    }

    @Test(arguments: [(WorkspaceEnvironment.production, "production"), (.development, "development")])
    func everyRequestSaysWhichEnvironmentItIsFor(environment: WorkspaceEnvironment, text: String) async throws {
        let signet = try await self.linked(configure: { $0.environment = environment }) {
            _,
            installation,
            guest,
            user in
            try await installation.alias(AliasRequest(source: guest, destination: user))
            _ = try await installation.modify([.email: "a@example.com"])
            _ = try await installation.search([.email: "a@example.com"])
            _ = try await installation.logout()
        }
        let sent = signet.transport.exchanges
        let endpoints: Set = ["identify", "login", "alias", "modify", "search", "logout", "events"]
        #expect(Set(sent.map(\.endpoint)) == endpoints)
        for exchange in sent {
            #expect(try JSONReader.read(exchange.request.body)["environment"]?.string == text, "\(exchange.endpoint)")
        }
    }

    @Test func aPauseBetweenTwoTriesIsStillARequestInProgress() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.status(500), on: .login)
        let policy = RetryPolicy(totalTime: .seconds(60), initialDelay: .seconds(7), jitter: 0)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = failure { () async throws(SignetError) in
                _ = try await installation.login([.customerID: "c-2"], retry: policy)
            }
            await known.clock.untilNextSleeper(isDueIn: .seconds(7))
            for call in NetworkCall.allCases where call != .identified {
                #expect(await call.code(on: installation) == .requestInProgress, "\(call)")
            }
            #expect(signet.transport.identityEndpoints == ["login"])
            known.clock.advance(by: .seconds(7))
            #expect(await login == nil)
            #expect(signet.transport.identityEndpoints == ["login", "login"])
        }
    }

    @Test func aRequestHasTenSecondsUnlessOtherwiseConfigured() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.timeout, on: .login)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let code = NetworkCall.login.code(on: installation)
            await known.clock.untilNextSleeper(isDueIn: .seconds(10))
            await until("the request meets its faults") { known.platform.faults.remaining == 0 }
            known.clock.advance(by: .milliseconds(9999))
            #expect(signet.transport.inFlight == 1)
            known.clock.advance(by: .milliseconds(1))
            #expect(await code == .timedOut)
        }
    }

    @Test func nobodyIsThereBeforeTheFirstSuccess() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            signet.emulator.faults.inject(.status(500), on: .identify)
            let installation = try await signet.runtime.open("one")
            #expect(installation.currentUser == nil)
            #expect(await NetworkCall.identified.code(on: installation) == .serverFailure)
            #expect(installation.currentUser == nil)
            #expect(installation.allUsers.isEmpty)
            let user = try await installation.identify().user
            #expect(installation.currentUser?.mpid == user.mpid)
            #expect(installation.user(user.mpid)?.mpid == user.mpid)
            #expect(installation.user(IdentityFixture.mpid(404)) == nil)
        }
    }

    @Test func changesComeOnceEachAndInTheOrderOfTheCallsWhenTheStateIsReadable() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            var changes = installation.userChanges().makeAsyncIterator()
            var users: [MPID] = []
            for name in ["a", "b", "b", "a", "c"] {
                users.append(try await installation.login([.customerID: name]).user.mpid)
            }
            var told: [MPID?] = []
            for _ in 0..<4 {
                let change = try #require(await changes.next(isolation: #isolation))
                told.append(change.current?.mpid)
                #expect(change.current.map { installation.user($0.mpid) != nil } == true)
            }
            #expect(told == [users[0], users[1], users[3], users[4]])
            #expect(signet.runtime.statistics.userChanges == 4)
        }
    }

    @Test func anAliasOnTheWireTakesNobodysTurn() async throws {
        let gate = EmulatorGate()
        _ = try await self.linked { signet, installation, guest, user in
            signet.emulator.faults.inject(.held(gate), on: .alias)
            try await installation.alias(AliasRequest(source: guest, destination: user))
            await signet.takeIn()
            signet.clock.advance(by: .seconds(601))
            await gate.arrived()
            for call in NetworkCall.allCases where call != .identified {
                #expect(await call.code(on: installation) == nil, "\(call)")
            }
            #expect(signet.emulator.aliases().isEmpty)
            gate.open()
        }
    }

    @Test func whoIsNotProvisionedForAliasesIsToldSo() async throws {
        _ = try await self.linked { signet, installation, guest, user in
            signet.emulator.faults.inject(.status(403), on: .alias)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            try await installation.alias(AliasRequest(source: guest, destination: user))
            await signet.takeIn()
            signet.clock.advance(by: .seconds(601))
            guard case .refused(let error) = await outcomes.next(isolation: #isolation)?.kind else {
                Issue.record("The platform has refused it.")
                return
            }
            #expect(error.httpStatus == 403)
            #expect(error.message.contains("provisioned"))
        }
    }
}
