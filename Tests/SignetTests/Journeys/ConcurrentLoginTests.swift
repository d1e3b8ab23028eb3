// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite(.watched) struct ConcurrentLoginTests {
    @Test func of200LoginsAtOnceOneGoesTheRestAreRefusedAndAWaiterWaits() async throws {
        let folder = try TemporaryFolder()
        let gate = EmulatorGate()
        try await withEmulatedSignet(in: folder.path) { signet in
            signet.emulator.faults.inject(.held(gate), on: .login)
            let installation = try await signet.runtime.open("shop", identify: .none)
            await withTaskGroup(of: SignetError.Code?.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        await code { () async throws(SignetError) in
                            _ = try await installation.login([.customerID: "c-\(number)"])
                        }
                    }
                }
                await gate.arrived()
                // One is at the platform; all others have been answered before it is.
                for _ in 0..<199 { #expect(await group.next() == .requestInProgress) }
                group.addTask { await NetworkCall.logout.code(on: installation, whenBusy: .wait(upTo: .seconds(2))) }
                // The emulator's request has 10 s, the events nothing to wait for before 1 s: the waiter is next.
                await until("the logout waits for its turn") {
                    installation.core.store.read { !$0.identity.waiting.isEmpty }
                }
                #expect(signet.transport.identityEndpoints == ["login"])
                gate.open()
                for await code in group { #expect(code == nil) }
            }
            #expect(signet.transport.identityEndpoints == ["login", "logout"])
            #expect(signet.transport.maximumInFlight == 1)
        }
    }
}
