// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct BatchBodyTests {
    func batch(
        attributes: [String: AttributeValue] = [:],
        identities: [IdentityType: String] = [:],
        sdkVersion: String? = nil
    ) throws -> BatchBody {
        BatchBody(
            batchID: Samples.uuid(0xBA),
            milliseconds: Samples.milliseconds,
            environment: .development,
            mpid: try Samples.mpid(-6_504_934_091_054_997_508),
            deviceApplicationStamp: Samples.uuid(0xDA),
            userAttributes: attributes,
            userIdentities: identities,
            sdkVersion: sdkVersion
        )
    }

    static let events = [
        EventBody.encode(EventBody.sessionStart(), stamp: Samples.stamp),
        EventBody.encode(.custom("é \u{2028}", attributes: ["k": "v"]), stamp: Samples.stamp),
        EventBody.encode(.screen("s"), stamp: Samples.stamp),
        EventBody.encode(
            .purchase(Purchase(transactionID: "t", total: 1, products: [Product(id: "p")])),
            stamp: Samples.stamp
        ),
        EventBody.encode(EventBody.sessionEnd(Samples.accounts(1)), stamp: Samples.stamp),
    ]

    @Test func theSmallestBatch() throws {
        #expect(
            Samples.text(try self.batch().encoded(events: [Array("{}".utf8), Array("[]".utf8)]))
                == #"{"source_request_id":"00000000-0000-4000-8000-0000000000BA","#
                + #""timestamp_unixtime_ms":1700000000000,"environment":"development","mpid":-6504934091054997508,"#
                + #""mp_deviceid":"00000000-0000-4000-8000-0000000000DA","events":[{},[]]}"#
        )
    }

    @Test func attributesKeepTheirTypesAndIdentitiesGetTheirOtherNames() throws {
        let batch = try self.batch(
            attributes: ["z": 0.5, "a": "x", "m": true, "n": .integer(9_007_199_254_740_993)],
            identities: [.customerID: "c", .other2: "o", .email: "e@x"],
            sdkVersion: "1.2.3"
        )
        let text = Samples.text(batch.encoded(events: []))
        #expect(
            text.hasSuffix(
                #","sdk_version":"1.2.3","user_attributes":{"a":"x","m":true,"n":9007199254740993,"z":0.5},"#
                    + #""user_identities":{"customer_id":"c","email":"e@x","other_id_2":"o"},"events":[]}"#
            )
        )
    }

    @Test func identitiesOfDevicesAndOnesWithoutANameStayBehind() throws {
        let devices = IdentityType.known.filter(\.isDevice)
        #expect(devices.count == 10)
        var identities = Dictionary(uniqueKeysWithValues: devices.map { ($0, "x") })
        identities[IdentityType(wireName: "brand_new")] = "x"
        identities[IdentityType(wireName: "odd_device", eventsName: "odd_device", isDevice: true)] = "x"
        let text = Samples.text(try self.batch(identities: identities).encoded(events: []))
        #expect(!text.contains("user_identities"))
    }

    // Written by hand from the table of identity types.
    static let eventsNames: [(IdentityType, String)] = [
        (.other, "other"), (.customerID, "customer_id"), (.facebook, "facebook"), (.twitter, "twitter"),
        (.google, "google"), (.microsoft, "microsoft"), (.yahoo, "yahoo"), (.email, "email"), (.alias, "alias"),
        (.facebookCustomAudienceID, "facebook_custom_audience_id"), (.other2, "other_id_2"), (.other3, "other_id_3"),
        (.other4, "other_id_4"), (.other5, "other_id_5"), (.other6, "other_id_6"), (.other7, "other_id_7"),
        (.other8, "other_id_8"), (.other9, "other_id_9"), (.other10, "other_id_10"),
        (.mobileNumber, "mobile_number"), (.phoneNumber2, "phone_number_2"), (.phoneNumber3, "phone_number_3"),
    ]

    @Test(arguments: Self.eventsNames)
    func everyUserIdentityTravelsUnderItsDocumentedName(_ type: IdentityType, _ name: String) throws {
        let text = Samples.text(try self.batch(identities: [type: "x"]).encoded(events: []))
        #expect(text.contains("\"user_identities\":{\"\(name)\":\"x\"}"))
    }

    @Test func theTableOfNamesIsComplete() {
        #expect(Set(Self.eventsNames.map(\.0)) == Set(IdentityType.known.filter { !$0.isDevice }))
        #expect(Set(Self.eventsNames.map(\.1)) == BatchRules.identityNames)
    }

    @Test func typesThatShareANameAreWrittenOnce() throws {
        let batch = try self.batch(
            identities: [
                IdentityType(wireName: "b", eventsName: "same"): "second",
                IdentityType(wireName: "a", eventsName: "same"): "first",
            ]
        )
        for _ in 0..<20 {
            #expect(Samples.text(batch.encoded(events: [])).contains(#""user_identities":{"same":"first"}"#))
        }
    }

    @Test func theBatchWithoutEventsAndTheEventsAddUpToTheSize() throws {
        let batch = try self.batch(attributes: ["é": "ü"], identities: [.email: "e@x"])
        let overhead = batch.encoded(events: []).count
        for count in 0...Self.events.count {
            let events = Array(Self.events.prefix(count))
            let sum = overhead + events.reduce(0) { $0 + $1.count } + max(0, count - 1)
            #expect(batch.encoded(events: events).count == sum)
        }
    }

    @Test func theSameBatchIsTheSameBytes() throws {
        func bytes() throws -> [UInt8] {
            var attributes: [String: AttributeValue] = [:]
            for number in (0..<50).shuffled() {
                attributes["key\(number)"] = .integer(Int64(number))
            }
            var identities: [IdentityType: String] = [:]
            for type in IdentityType.known.shuffled() {
                identities[type] = type.wireName
            }
            return try self.batch(attributes: attributes, identities: identities).encoded(events: Self.events)
        }
        let first = try bytes()
        for _ in 0..<10 {
            #expect(try bytes() == first)
        }
    }

    @Test func everyBatchKeepsTheRules() throws {
        var identities: [IdentityType: String] = [:]
        for type in IdentityType.known {
            identities[type] = "x"
        }
        let full = try self.batch(
            attributes: ["a": "x", "b": 1, "c": 0.5, "d": false],
            identities: identities,
            sdkVersion: "1.0"
        )
        #expect(BatchRules.faults(inBatch: full.encoded(events: Self.events)) == [])
        #expect(BatchRules.faults(inBatch: try self.batch().encoded(events: [])) == [])
    }

    @Test func theRulesSeeAFault() {
        func faults(_ text: String) -> [String] {
            BatchRules.faults(inBatch: Array(text.utf8))
        }
        #expect(faults(#"{"environment":"production"}"#) == [])
        #expect(faults("{}") == ["batch: lacks environment"])
        #expect(faults(#"{"environment":"moon"}"#) == ["batch.environment: not one of the allowed"])
        #expect(faults(#"{"environment":"production","mpid":"5"}"#) == ["batch.mpid: no integer"])
        #expect(
            faults(#"{"environment":"production","user_identities":{"customerid":"c"}}"#)
                == ["batch.user_identities: must not have customerid"]
        )
        #expect(faults(#"{"environment":"production","mp_deviceid":"xyz"}"#) == ["batch.mp_deviceid: no UUID"])
    }

    @Test func theDescriptionShowsNoPerson() throws {
        let batch = try self.batch(attributes: ["a": "hush"], identities: [.email: "foo@example.com"])
        #expect(!"\(batch)".contains("hush") && !"\(batch)".contains("foo@"))
    }
}
