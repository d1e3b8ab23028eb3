// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

/// The table of the platform's documentation, spelled by hand: one wrong letter makes it refuse whole requests.
@Suite struct IdentityTypeTests {
    static let table: [(type: IdentityType, wire: String, events: String?)] = [
        (.other, "other", "other"),
        (.customerID, "customerid", "customer_id"),
        (.facebook, "facebook", "facebook"),
        (.twitter, "twitter", "twitter"),
        (.google, "google", "google"),
        (.microsoft, "microsoft", "microsoft"),
        (.yahoo, "yahoo", "yahoo"),
        (.email, "email", "email"),
        (.alias, "alias", "alias"),
        (.facebookCustomAudienceID, "facebookcustomaudienceid", "facebook_custom_audience_id"),
        (.other2, "other2", "other_id_2"),
        (.other3, "other3", "other_id_3"),
        (.other4, "other4", "other_id_4"),
        (.other5, "other5", "other_id_5"),
        (.other6, "other6", "other_id_6"),
        (.other7, "other7", "other_id_7"),
        (.other8, "other8", "other_id_8"),
        (.other9, "other9", "other_id_9"),
        (.other10, "other10", "other_id_10"),
        (.mobileNumber, "mobile_number", "mobile_number"),
        (.phoneNumber2, "phone_number_2", "phone_number_2"),
        (.phoneNumber3, "phone_number_3", "phone_number_3"),
    ]

    static let devices: [(type: IdentityType, wire: String)] = [
        (.iosAdvertiserID, "ios_idfa"),
        (.iosVendorID, "ios_idfv"),
        (.pushToken, "push_token"),
        (.deviceApplicationStamp, "device_application_stamp"),
        (.androidAdvertisingID, "android_aaid"),
        (.androidUUID, "android_uuid"),
        (.ampID, "amp_id"),
        (.rokuAdvertisingID, "roku_aid"),
        (.rokuPublisherID, "roku_publisher_id"),
        (.fireAdvertisingID, "fire_aid"),
    ]

    @Test func userIdentitiesHaveBothNames() {
        for row in Self.table {
            #expect(row.type.wireName == row.wire)
            #expect(row.type.eventsName == row.events)
            #expect(!row.type.isDevice)
        }
    }

    @Test func deviceIdentitiesDoNotTravelInBatches() {
        for row in Self.devices {
            #expect(row.type.wireName == row.wire)
            #expect(row.type.eventsName == nil)
            #expect(row.type.isDevice)
        }
    }

    @Test func nothingIsKnownThatIsNotInTheTable() {
        let names = Self.table.map(\.wire) + Self.devices.map(\.wire)
        #expect(names.count == 32)
        #expect(Set(IdentityType.known.map(\.wireName)) == Set(names))
        #expect(IdentityType.known.count == names.count)
    }

    @Test func aTypeIsFoundByItsWireName() {
        for type in IdentityType.known {
            let found = IdentityType(wireName: type.wireName)
            #expect(found == type)
            #expect(found.eventsName == type.eventsName)
            #expect(found.isDevice == type.isDevice)
        }
        let unknown = IdentityType(wireName: "brand_new")
        #expect(unknown.wireName == "brand_new")
        #expect(unknown.eventsName == nil)
        #expect(!unknown.isDevice)
    }

    @Test func typesOfOneWireNameAreOneType() {
        let own = IdentityType(wireName: "email", eventsName: "mail", isDevice: false)
        #expect(own == .email)
        #expect(Set([own, .email]).count == 1)
        #expect([IdentityType.google, .alias, .email].sorted() == [.alias, .email, .google])
        #expect("\(IdentityType.email)" == "email")
    }
}
