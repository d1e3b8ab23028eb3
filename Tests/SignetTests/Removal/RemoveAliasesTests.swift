// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A removal of an installation with alias requests.
@Suite(.watched) struct RemoveAliasesTests {
    private func aliasing(_ folder: TemporaryFolder) throws -> EmulatedSignet {
        try EmulatedSignet(in: folder.path, emulator: EmulatorConfiguration(strategy: .link))
    }

    /// A guest who became a customer.
    private func linked(_ signet: EmulatedSignet) async throws -> (Installation, AliasRequest) {
        let installation = try await signet.runtime.open("v")
        _ = try await installation.initialIdentifyResult()
        signet.clock.advance(by: .milliseconds(500))
        let result = try await installation.login([.customerID: "c"])
        return (installation, AliasRequest(source: try #require(result.previousUser), destination: result.user))
    }

    @Test func anAliasRequestIsSentFirst() async throws {
        let folder = try TemporaryFolder()
        let signet = try self.aliasing(folder)
        try await signet.run { signet in
            let (installation, request) = try await self.linked(signet)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            try await installation.alias(request)
            try await installation.remove()
            let outcome = await outcomes.next()
            #expect({ if case .accepted = outcome?.kind { true } else { false } }())
            #expect(signet.transport.exchanges.count { $0.endpoint == "alias" } == 1)
            #expect(try signet.runtime.context.store.keys(withPrefix: StateKey.aliases).isEmpty)
        }
    }

    @Test func anAliasRequestThatIsNotTakenKeepsTheInstallation() async throws {
        let folder = try TemporaryFolder()
        let signet = try self.aliasing(folder)
        try await signet.run { signet in
            let (installation, request) = try await self.linked(signet)
            signet.emulator.faults.injectAlways(.status(503), on: .alias)
            try await installation.alias(request)
            let isOver = Locked(false)
            let code = await withTaskGroup(of: SignetError.Code?.self) { group in
                group.addTask {
                    defer { isOver.withLock { $0 = true } }
                    do throws(SignetError) {
                        try await installation.remove(within: .seconds(2))
                        return nil
                    } catch {
                        return error.code
                    }
                }
                await until("the request was tried") {
                    signet.transport.exchanges.contains { $0.endpoint == "alias" }
                }
                await until("the limit is over") {
                    signet.clock.advance(by: .milliseconds(100))
                    return isOver.withLock { $0 }
                }
                return await group.next() ?? nil
            }
            #expect(code == .timedOut)
            try installation.log(.custom("works"))
            #expect(signet.runtime.statistics.installationsRemoved == 0)
        }
    }
}
