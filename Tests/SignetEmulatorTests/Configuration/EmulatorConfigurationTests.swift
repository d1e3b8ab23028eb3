// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import Testing

struct EmulatorConfigurationTests {
    @Test(arguments: [
        (IdentityStrategy.default, [IdentityType.customerID]), (.conversion, [.customerID]),
        (.link, [.customerID, .email]), (.isolation, [.customerID, .email]), (.bestMatch, []),
    ])
    func uniqueAndLoginIdentitiesAreTheDocumentedOnes(strategy: IdentityStrategy, types: [IdentityType]) {
        let configuration = EmulatorConfiguration(strategy: strategy)
        #expect(configuration.uniqueIdentities == Set(types))
        #expect(configuration.loginIdentities == Set(types))
        #expect(configuration.immutableIdentities.isEmpty)
    }

    @Test func whatIsGivenGoesBeforeAndImmutableIdentitiesAreAlwaysAmongThem() {
        let configuration = EmulatorConfiguration(
            strategy: .link,
            uniqueIdentities: [.other],
            loginIdentities: [],
            immutableIdentities: [.customerID]
        )
        #expect(configuration.uniqueIdentities == [.other, .customerID])
        #expect(configuration.loginIdentities == [.customerID])
    }

    @Test func thePriorityIsTheDocumentedOne() {
        let priority = EmulatorConfiguration().priority
        #expect(priority.first == .customerID)
        #expect(priority.last == .deviceApplicationStamp)
        #expect(priority.count == 16)
        #expect(Set(priority).isSubset(of: IdentityType.known))
    }

    @Test func theDefaultsAreTheDocumentedOnes() {
        let configuration = EmulatorConfiguration()
        #expect(configuration.strategy == .default)
        #expect(configuration.apiKey == "us1-emulated")
        #expect(!configuration.allowsKeyOnly)
        #expect(configuration.aliasDelay == .seconds(86_400))
        #expect(configuration.requestDateTolerance == nil)
        #expect(configuration.limits.eventsRequestBytes == 262_144)
        #expect(configuration.limits.batchBytes == 131_072)
    }

    @Test func printingDoesNotShowTheSecret() {
        let configuration = EmulatorConfiguration(secret: "hunter2")
        var text = ""
        dump(configuration, to: &text)
        #expect(!text.contains("hunter2"))
        #expect(!"\(configuration)".contains("hunter2"))
    }
}
