// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@testable import SignetIterable

/// The bodies byte for byte, written by hand from the documentation.
@Suite struct IterableBodyTests {
    static let ann = IterableIdentity.email("ann@example.com")
    static let unknown = IterableIdentity.userID("5E6D1F1C")
    static let device = IterableDevice(deviceID: "D1", platform: "iOS", appPackageName: "com.example")
    static let deviceText = #""deviceInfo":{"appPackageName":"com.example","deviceId":"D1","platform":"iOS"}"#

    // MARK: Activation, consent, merge

    private static func session(_ criteria: String, fields: JSONObject? = nil, pushOptIn: String? = nil) -> String {
        Samples.text(
            UnknownSessionBody(
                userID: "5E6D1F1C",
                fields: fields,
                createdAt: 1_700_000_000,
                device: Self.device,
                sessions: UnknownSessionBody.Sessions(total: 3, first: 1_699_990_000, last: 1_699_999_990),
                matchedCriteriaID: criteria,
                pushOptIn: pushOptIn
            ).encoded()
        )
    }

    @Test func anActivationSaysEverythingAndNothingOfOurs() {
        #expect(
            Self.session("285", fields: ["plan": "gold", "home": ["x": 1]], pushOptIn: "com.example")
                == #"{"createdAt":1700000000,\#(Self.deviceText),"unknownSessionContext":{"#
                + #""firstUnknownSession":1699990000,"lastUnknownSession":1699999990,"matchedCriteriaId":285,"#
                + #""mobilePushOptIn":"com.example","totalUnknownSessionCount":3},"user":{"createNewFields":true,"#
                + #""dataFields":{"plan":"gold","home":{"x":1}},"mergeNestedObjects":true,"preferUserId":true,"#
                + #""userId":"5E6D1F1C"}}"#
        )
    }

    @Test(arguments: ["", "abc", "1.0", "99999999999999999999", " 1"])
    func whatIsNotThereIsLeftOut(criteria: String) {
        #expect(
            Self.session(criteria, pushOptIn: "")
                == #"{"createdAt":1700000000,\#(Self.deviceText),"unknownSessionContext":{"#
                + #""firstUnknownSession":1699990000,"lastUnknownSession":1699999990,"totalUnknownSessionCount":3},"#
                + #""user":{"createNewFields":true,"mergeNestedObjects":true,"preferUserId":true,"userId":"5E6D1F1C"}}"#
        )
    }

    @Test func consentNamesOneUser() {
        func text(_ user: IterableIdentity, isKnown: Bool) -> String {
            let body = IterableConsentBody(
                user: user,
                consentTimestamp: 1_699_999_999_123,
                isUserKnown: isKnown,
                createdAt: 1_700_000_000,
                device: Self.device
            )
            return Samples.text(body.encoded())
        }
        let head = #"{"consentTimestamp":1699999999123,"createdAt":1700000000,\#(Self.deviceText),"#
        #expect(text(Self.ann, isKnown: true) == head + #""email":"ann@example.com","isUserKnown":true}"#)
        #expect(text(Self.unknown, isKnown: false) == head + #""isUserKnown":false,"userId":"5E6D1F1C"}"#)
    }

    @Test func aMergeNamesSourceAndDestination() {
        func text(_ destination: IterableIdentity) -> String {
            Samples.text(IterableMergeBody(sourceUserID: "5E6D1F1C", destination: destination, createdAt: 7).encoded())
        }
        #expect(text(Self.ann) == #"{"createdAt":7,"destinationEmail":"ann@example.com","sourceUserId":"5E6D1F1C"}"#)
        #expect(text(.userID("ann")) == #"{"createdAt":7,"destinationUserId":"ann","sourceUserId":"5E6D1F1C"}"#)
    }

    // MARK: Events

    @Test func aCustomEventKeepsTheTimeOfItsRecord() {
        let bare = IterableEventBody(user: Self.ann, name: "opened", createdAt: 1_699_990_000)
        #expect(
            Samples.text(bare.encoded())
                == #"{"createNewFields":true,"createdAt":1699990000,"email":"ann@example.com","eventName":"opened"}"#
        )
        let full = IterableEventBody(
            user: Self.unknown,
            name: "a\"b",
            createdAt: 1,
            fields: ["t": true, "i": 1, "d": 1.0, "n": nil],
            eventID: "E"
        )
        #expect(
            Samples.text(full.encoded())
                == #"{"createNewFields":true,"createdAt":1,"dataFields":{"t":true,"i":1,"d":1.0,"n":null},"#
                + #""eventName":"a\"b","id":"E","preferUserId":true,"userId":"5E6D1F1C"}"#
        )
    }

    // The vendor's clients lose the time of a replayed purchase; ours is right.
    @Test func aPurchaseKeepsTheTimeOfItsRecordAndItsTotalIsANumber() {
        let item = IterableItem(
            id: "i",
            name: "Boots",
            price: 21.25,
            quantity: 2,
            sku: "s",
            itemDescription: "warm",
            url: "https://e.x",
            imageURL: "https://e.x/i",
            categories: ["shoes", "winter"],
            fields: ["size": 42]
        )
        let body = IterableCommerceBody(
            user: Self.unknown,
            items: [item],
            content: .purchase(total: 4.67, fields: ["c": "d"], purchaseID: "P"),
            createdAt: 1_699_990_000
        )
        #expect(body.route == .trackPurchase)
        #expect(
            Samples.text(body.encoded())
                == #"{"createdAt":1699990000,"dataFields":{"c":"d"},"id":"P","items":[{"categories":["shoes","winter"],"#
                + #""dataFields":{"size":42},"description":"warm","id":"i","imageUrl":"https://e.x/i","name":"Boots","#
                + #""price":21.25,"quantity":2,"sku":"s","url":"https://e.x"}],"preferUserId":true,"total":4.67,"#
                + #""user":{"userId":"5E6D1F1C"}}"#
        )
    }

    @Test func aPurchaseSaysWhichMessageItIsOwedTo() {
        let body = IterableCommerceBody(
            user: Self.ann,
            items: [],
            content: .purchase(total: 1, campaign: 12, template: 34),
            createdAt: 5
        )
        #expect(
            Samples.text(body.encoded())
                == #"{"campaignId":12,"createdAt":5,"items":[],"templateId":34,"total":1.0,"#
                + #""user":{"email":"ann@example.com"}}"#
        )
    }

    @Test func aCartHasItsUserAndItsItems() {
        let item = IterableItem(id: "i", name: "n", price: 1, quantity: 1)
        let body = IterableCommerceBody(user: Self.ann, items: [item], content: .cart, createdAt: 5)
        #expect(body.route == .updateCart)
        #expect(
            Samples.text(body.encoded())
                == #"{"createdAt":5,"items":[{"id":"i","name":"n","price":1.0,"quantity":1}],"user":{"email":"ann@example.com"}}"#
        )
        let empty = IterableCommerceBody(user: Self.unknown, items: [], content: .cart, createdAt: 5)
        #expect(
            Samples.text(empty.encoded())
                == #"{"createdAt":5,"items":[],"preferUserId":true,"user":{"userId":"5E6D1F1C"}}"#
        )
    }

    // MARK: Users and devices

    @Test func anUpdateSaysHowAndWhen() {
        func text(_ user: IterableIdentity, merges: Bool) -> String {
            let body = IterableUpdateBody(user: user, fields: ["a": 1], mergesNestedObjects: merges, createdAt: 5)
            return Samples.text(body.encoded())
        }
        #expect(
            text(Self.ann, merges: true)
                == #"{"createdAt":5,"dataFields":{"a":1},"email":"ann@example.com","mergeNestedObjects":true}"#
        )
        #expect(
            text(Self.unknown, merges: false)
                == #"{"createdAt":5,"dataFields":{"a":1},"mergeNestedObjects":false,"preferUserId":true,"userId":"5E6D1F1C"}"#
        )
    }

    @Test func anAddressIsChangedByEitherName() {
        let byEmail = IterableEmailBody(current: Self.ann, newEmail: "b@x", createdAt: 5)
        let byID = IterableEmailBody(current: .userID("u"), newEmail: "b@x", createdAt: 5)
        #expect(
            Samples.text(byEmail.encoded()) == #"{"createdAt":5,"currentEmail":"ann@example.com","newEmail":"b@x"}"#
        )
        #expect(Samples.text(byID.encoded()) == #"{"createdAt":5,"currentUserId":"u","newEmail":"b@x"}"#)
    }

    @Test func aDeviceIsRegisteredAndDisabled() {
        let register = DeviceTokenBody(
            user: Self.unknown,
            token: "0aff",
            platform: "APNS",
            applicationName: "com.example",
            fields: ["deviceId": "D1", "notificationsEnabled": true],
            createdAt: 5
        )
        #expect(
            Samples.text(register.encoded())
                == #"{"createdAt":5,"device":{"applicationName":"com.example","dataFields":{"deviceId":"D1","#
                + #""notificationsEnabled":true},"platform":"APNS","token":"0aff"},"preferUserId":true,"userId":"5E6D1F1C"}"#
        )
        func disable(_ user: IterableIdentity?) -> String {
            Samples.text(DisableDeviceBody(token: "0aff", user: user, createdAt: 5).encoded())
        }
        #expect(disable(Self.ann) == #"{"createdAt":5,"email":"ann@example.com","token":"0aff"}"#)
        #expect(disable(Self.unknown) == #"{"createdAt":5,"token":"0aff","userId":"5E6D1F1C"}"#)
        #expect(disable(nil) == #"{"createdAt":5,"token":"0aff"}"#)
    }

    @Test func nothingOfAPersonIsPrinted() {
        let user = IterableIdentity.email("hunter2@example.com")
        let fields: JSONObject = ["hunter2": "hunter2"]
        let item = IterableItem(id: "hunter2", name: "hunter2", price: 1, quantity: 1)
        let texts = [
            "\(user)", "\(IterableEventBody(user: user, name: "hunter2", createdAt: 1, fields: fields))",
            "\(IterableCommerceBody(user: user, items: [item], content: .cart, createdAt: 1))", "\(item)",
            "\(IterableUpdateBody(user: user, fields: fields, mergesNestedObjects: true, createdAt: 1))",
            "\(IterableEmailBody(current: user, newEmail: "hunter2@x", createdAt: 1))",
            "\(IterableMergeBody(sourceUserID: "hunter2", destination: user, createdAt: 1))",
            "\(DisableDeviceBody(token: "hunter2", user: user, createdAt: 1))",
            "\(IterableConsentBody(user: user, consentTimestamp: 1, isUserKnown: true, createdAt: 1, device: Self.device))",
        ]
        #expect(texts.allSatisfy { !$0.contains("hunter2") })
    }
}
