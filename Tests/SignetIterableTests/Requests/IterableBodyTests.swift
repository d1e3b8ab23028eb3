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
    static let requests = IterableRequests(
        device: IterableDevice(deviceID: "D1", platform: "iOS", appPackageName: "com.example"),
        applicationName: "com.example"
    )
    static let deviceText = #""deviceInfo":{"appPackageName":"com.example","deviceId":"D1","platform":"iOS"}"#

    private static func text(_ request: IterableRequests.Request) -> String {
        Samples.text(request.body)
    }

    // MARK: Activation, consent, merge

    private static func session(
        _ criteria: String,
        fields: JSONObject? = nil,
        allowsNotifications: Bool = false,
        of requests: IterableRequests = Self.requests
    ) -> String {
        let sessions = UnknownSessions(total: 3, first: 1_699_990_000, last: 1_699_999_990)
        let request = requests.session(
            "5E6D1F1C",
            matching: criteria,
            sessions,
            fields: fields,
            allowsNotifications: allowsNotifications,
            createdAt: 1_700_000_000
        )
        return Self.text(request)
    }

    @Test func anActivationSaysEverythingAndNothingOfOurs() {
        #expect(
            Self.session("285", fields: ["plan": "gold", "home": ["x": 1]], allowsNotifications: true)
                == #"{"createdAt":1700000000,\#(Self.deviceText),"unknownSessionContext":{"#
                + #""firstUnknownSession":1699990000,"lastUnknownSession":1699999990,"matchedCriteriaId":285,"#
                + #""mobilePushOptIn":"com.example","totalUnknownSessionCount":3},"user":{"createNewFields":true,"#
                + #""dataFields":{"plan":"gold","home":{"x":1}},"mergeNestedObjects":true,"preferUserId":true,"#
                + #""userId":"5E6D1F1C"}}"#
        )
    }

    @Test(arguments: ["", "abc", "1.0", "99999999999999999999", " 1"])
    func whatIsNotThereIsLeftOut(criteria: String) {
        let nameless = IterableRequests(device: Self.requests.device, applicationName: "")
        #expect(
            Self.session(criteria, allowsNotifications: true, of: nameless)
                == #"{"createdAt":1700000000,\#(Self.deviceText),"unknownSessionContext":{"#
                + #""firstUnknownSession":1699990000,"lastUnknownSession":1699999990,"totalUnknownSessionCount":3},"#
                + #""user":{"createNewFields":true,"mergeNestedObjects":true,"preferUserId":true,"userId":"5E6D1F1C"}}"#
        )
    }

    @Test func consentNamesOneUser() {
        func text(_ user: IterableIdentity, isKnown: Bool) -> String {
            Self.text(
                Self.requests.consent(of: user, at: 1_699_999_999_123, isKnown: isKnown, createdAt: 1_700_000_000)
            )
        }
        let head = #"{"consentTimestamp":1699999999123,"createdAt":1700000000,\#(Self.deviceText),"#
        #expect(text(Self.ann, isKnown: true) == head + #""email":"ann@example.com","isUserKnown":true}"#)
        #expect(text(Self.unknown, isKnown: false) == head + #""isUserKnown":false,"userId":"5E6D1F1C"}"#)
    }

    @Test func aMergeNamesSourceAndDestination() {
        func text(_ destination: IterableIdentity) -> String {
            Self.text(Self.requests.merge("5E6D1F1C", into: destination, createdAt: 7))
        }
        #expect(text(Self.ann) == #"{"createdAt":7,"destinationEmail":"ann@example.com","sourceUserId":"5E6D1F1C"}"#)
        #expect(text(.userID("ann")) == #"{"createdAt":7,"destinationUserId":"ann","sourceUserId":"5E6D1F1C"}"#)
    }

    // MARK: Events

    @Test func aCustomEventKeepsTheTimeOfItsRecord() {
        let bare = Self.requests.event("opened", of: Self.ann, createdAt: 1_699_990_000)
        #expect(
            Self.text(bare)
                == #"{"createNewFields":true,"createdAt":1699990000,"email":"ann@example.com","eventName":"opened"}"#
        )
        let full = Self.requests.event(
            "a\"b",
            of: Self.unknown,
            fields: ["t": true, "i": 1, "d": 1.0, "n": nil],
            id: "E",
            createdAt: 1
        )
        #expect(
            Self.text(full)
                == #"{"createNewFields":true,"createdAt":1,"dataFields":{"t":true,"i":1,"d":1.0,"n":null},"#
                + #""eventName":"a\"b","id":"E","preferUserId":true,"userId":"5E6D1F1C"}"#
        )
    }

    // The vendor's clients lose the time of a replayed purchase; ours is right.
    @Test func aPurchaseKeepsTheTimeOfItsRecordAndItsTotalIsANumber() throws {
        let item = IterableProduct(
            id: "i",
            name: "Boots",
            price: 21.25,
            quantity: 2,
            sku: "s",
            text: "warm",
            url: "https://e.x",
            imageURL: "https://e.x/i",
            categories: ["shoes", "winter"],
            fields: ["size": 42]
        )
        let request = Self.requests.purchase(
            of: Self.unknown,
            items: [.object(try item.json())],
            total: try #require(JSONNumber(4.67)),
            fields: ["c": "d"],
            id: "P",
            createdAt: 1_699_990_000
        )
        #expect(request.route == .trackPurchase)
        #expect(
            Self.text(request)
                == #"{"createdAt":1699990000,"dataFields":{"c":"d"},"id":"P","items":[{"id":"i","name":"Boots","#
                + #""price":21.25,"quantity":2,"sku":"s","description":"warm","url":"https://e.x","#
                + #""imageUrl":"https://e.x/i","categories":["shoes","winter"],"dataFields":{"size":42}}],"#
                + #""preferUserId":true,"total":4.67,"user":{"userId":"5E6D1F1C"}}"#
        )
    }

    @Test func aPurchaseSaysWhichMessageItIsOwedTo() throws {
        let total = try #require(JSONNumber(1.0))
        let request = Self.requests.purchase(
            of: Self.ann,
            items: [],
            total: total,
            campaign: 12,
            template: 34,
            createdAt: 5
        )
        #expect(
            Self.text(request)
                == #"{"campaignId":12,"createdAt":5,"items":[],"templateId":34,"total":1.0,"#
                + #""user":{"email":"ann@example.com"}}"#
        )
    }

    @Test func aCartHasItsUserAndItsItems() throws {
        let item = try IterableProduct(id: "i", name: "n", price: 1, quantity: 1).json()
        let request = Self.requests.cart(of: Self.ann, items: [.object(item)], createdAt: 5)
        #expect(request.route == .updateCart)
        #expect(
            Self.text(request)
                == #"{"createdAt":5,"items":[{"id":"i","name":"n","price":1.0,"quantity":1}],"user":{"email":"ann@example.com"}}"#
        )
        #expect(
            Self.text(Self.requests.cart(of: Self.unknown, items: [], createdAt: 5))
                == #"{"createdAt":5,"items":[],"preferUserId":true,"user":{"userId":"5E6D1F1C"}}"#
        )
    }

    // MARK: Users and devices

    @Test func anUpdateSaysHowAndWhen() {
        func text(_ user: IterableIdentity, merges: Bool) -> String {
            Self.text(
                Self.requests.update(of: user, fields: ["a": 1], mergesNestedObjects: merges, createdAt: 5)
            )
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
        let byEmail = Self.requests.changeEmail(of: Self.ann, to: "b@x", createdAt: 5)
        let byID = Self.requests.changeEmail(of: .userID("u"), to: "b@x", createdAt: 5)
        #expect(Self.text(byEmail) == #"{"createdAt":5,"currentEmail":"ann@example.com","newEmail":"b@x"}"#)
        #expect(Self.text(byID) == #"{"createdAt":5,"currentUserId":"u","newEmail":"b@x"}"#)
    }

    @Test func aDeviceIsRegisteredAndDisabled() {
        let register = Self.requests.register(
            "0aff",
            on: "APNS",
            allowsNotifications: true,
            of: Self.unknown,
            createdAt: 5
        )
        #expect(
            Self.text(register)
                == #"{"createdAt":5,"device":{"applicationName":"com.example","dataFields":{"deviceId":"D1","#
                + #""notificationsEnabled":true},"platform":"APNS","token":"0aff"},"preferUserId":true,"userId":"5E6D1F1C"}"#
        )
        func disable(_ user: IterableIdentity) -> String {
            Self.text(Self.requests.disable("0aff", of: user, createdAt: 5))
        }
        #expect(disable(Self.ann) == #"{"createdAt":5,"email":"ann@example.com","token":"0aff"}"#)
        #expect(disable(Self.unknown) == #"{"createdAt":5,"token":"0aff","userId":"5E6D1F1C"}"#)
    }

    @Test func nothingOfAPersonIsPrinted() {
        #expect("\(IterableIdentity.email("hunter2@example.com"))" == "email")
        #expect("\(IterableIdentity.userID("hunter2"))" == "userId")
    }
}
