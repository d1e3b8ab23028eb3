// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Many visitors of one process at once.
@Suite struct ManyInstallationsTests {
    @Test func eachLogsInByItselfWithASessionAndAConsentOfItsOwn() async throws {
        let count = TestScale.count(quick: 300, full: 10_000)
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                $0.events.uploadInterval = .seconds(100_000)
                // The limit's second would not pass: nobody moves the clock.
                $0.events.maximumBatchesPerSecond = nil
            }
        ) { signet in
            let runtime = signet.runtime
            var visitors: [Installation] = []
            for number in 0..<count {
                visitors.append(try await runtime.open(InstallationID("v-\(number)"), identify: .none))
            }
            let failures = await withTaskGroup(of: SignetError.Code?.self) { group in
                for (number, visitor) in visitors.enumerated() {
                    group.addTask {
                        await code { () async throws(SignetError) in
                            try await visitor.setConsent(ConsentState(gdpr: ["p-\(number)": Consent(true)]))
                            _ = try await visitor.login([.customerID: "c-\(number)"])
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
            }
            #expect(failures == 0)
            #expect(Set(visitors.compactMap { $0.currentUser?.mpid }).count == count)
            #expect(Set(visitors.compactMap { $0.currentSession?.uuid }).count == count)
            for (number, visitor) in visitors.enumerated() {
                let user = try #require(visitor.currentUser)
                #expect(user.identities[.customerID]?.value == "c-\(number)")
                #expect(user.consent?.gdpr.keys.sorted() == ["p-\(number)"])
                #expect(signet.emulator.user(user.mpid)?.identities[.customerID] == ["c-\(number)"])
            }
            // One request each, and never more on the wire than allowed.
            #expect(signet.transport.exchanges.count { $0.endpoint == "login" } == count)
            #expect(signet.transport.maximumInFlight <= 64)
        }
    }
}
