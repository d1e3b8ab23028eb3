// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import SignetEmulator

struct IdentityNameTests {
    @Test func theNamesAreTheDocumentedOnes() {
        #expect(IdentityName.wireNames.count == 32)
        #expect(IdentityName.eventsNames.count == 22)
        #expect(IdentityName.identityType(wireName: "other6")?.eventsName == "other_id_6")
        #expect(
            IdentityName.identityType(eventsName: "facebook_custom_audience_id")?.wireName == "facebookcustomaudienceid"
        )
        #expect(IdentityName.identityType(wireName: "customer_id") == nil)
        // Documented for the other interface alone, but a client of the platform writes it here too.
        #expect(
            IdentityName.identityType(eventsName: "customerid") == IdentityName.identityType(wireName: "customerid")
        )
        #expect(!IdentityName.eventsNames.contains("customerid"))
    }

    @Test func theModelSpellsThemTheSameWay() {
        #expect(Set(IdentityType.known.map(\.wireName)) == IdentityName.wireNames)
        for type in IdentityType.known {
            let ours = IdentityName.identityType(wireName: type.wireName)
            #expect(ours?.eventsName == type.eventsName)
            #expect(ours?.isDevice == type.isDevice)
        }
    }
}
