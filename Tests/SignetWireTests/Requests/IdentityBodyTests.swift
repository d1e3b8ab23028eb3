// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@Suite struct IdentityBodyTests {
    @Test func theBodyOfOurSignatureVectorComesOutByteForByte() {
        let body = IdentityBody(
            environment: .development,
            requestID: Samples.uuid(1),
            milliseconds: Samples.milliseconds,
            knownIdentities: [.customerID: "123456"],
            client: nil
        )
        #expect(body.encoded() == RequestSignatureTests.body)
    }

    @Test func aFullBodyHasEveryMemberInOrder() throws {
        let body = IdentityBody(
            environment: .production,
            requestID: Samples.uuid(0xAF),
            milliseconds: 1,
            previousMPID: try Samples.mpid(-6_504_934_091_054_997_508),
            context: "b3BhcXVl",
            knownIdentities: [.other2: "o", .email: "foo@example.com", .customerID: "1", .deviceApplicationStamp: "D"]
        )
        #expect(
            Samples.text(body.encoded())
                == #"{"client_sdk":{"platform":"other","sdk_vendor":"signet","sdk_version":"\#(ClientInfo.signet.version)"},"#
                + #""context":"b3BhcXVl","environment":"production","known_identities":{"customerid":"1","#
                + #""device_application_stamp":"D","email":"foo@example.com","other2":"o"},"#
                + #""previous_mpid":"-6504934091054997508","#
                + #""request_id":"00000000-0000-4000-8000-0000000000AF","request_timestamp_ms":1}"#
        )
    }

    @Test func anIdentityCannotLeaveItsString() {
        let body = IdentityBody(
            environment: .production,
            requestID: Samples.uuid(1),
            milliseconds: 1,
            knownIdentities: [.email: "a\"},\r\n\u{0}"],
            client: nil
        )
        #expect(Samples.text(body.encoded()).contains(#""known_identities":{"email":"a\"},\r\n\u0000"}"#))
    }

    @Test func theDescriptionShowsNoIdentity() {
        let body = IdentityBody(
            environment: .production,
            requestID: Samples.uuid(1),
            milliseconds: 1,
            knownIdentities: [.email: "foo@example.com", .customerID: "c-77"]
        )
        #expect("\(body)".contains("[customerid, email]"))
        #expect(!"\(body)".contains("foo@") && !"\(body)".contains("c-77"))
    }

    // Written by hand from the table of identity types: one misspelt name makes the platform refuse every request.
    static let wireNames: [(IdentityType, String)] = [
        (.other, "other"), (.customerID, "customerid"), (.facebook, "facebook"), (.twitter, "twitter"),
        (.google, "google"), (.microsoft, "microsoft"), (.yahoo, "yahoo"), (.email, "email"), (.alias, "alias"),
        (.facebookCustomAudienceID, "facebookcustomaudienceid"), (.other2, "other2"), (.other3, "other3"),
        (.other4, "other4"), (.other5, "other5"), (.other6, "other6"), (.other7, "other7"), (.other8, "other8"),
        (.other9, "other9"), (.other10, "other10"), (.mobileNumber, "mobile_number"),
        (.phoneNumber2, "phone_number_2"), (.phoneNumber3, "phone_number_3"), (.iosAdvertiserID, "ios_idfa"),
        (.iosVendorID, "ios_idfv"), (.pushToken, "push_token"),
        (.deviceApplicationStamp, "device_application_stamp"), (.androidAdvertisingID, "android_aaid"),
        (.androidUUID, "android_uuid"), (.ampID, "amp_id"), (.rokuAdvertisingID, "roku_aid"),
        (.rokuPublisherID, "roku_publisher_id"), (.fireAdvertisingID, "fire_aid"),
    ]

    @Test(arguments: Self.wireNames)
    func everyTypeTravelsUnderItsDocumentedName(_ type: IdentityType, _ name: String) {
        let body = IdentityBody(
            environment: .production,
            requestID: Samples.uuid(1),
            milliseconds: 1,
            knownIdentities: [type: "x"]
        )
        #expect(Samples.text(body.encoded()).contains("\"known_identities\":{\"\(name)\":\"x\"}"))
    }

    @Test func theTableOfNamesIsComplete() {
        #expect(Set(Self.wireNames.map(\.0)) == Set(IdentityType.known))
    }
}
