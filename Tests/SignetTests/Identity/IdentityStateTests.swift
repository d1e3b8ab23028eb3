// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

/// The record on disk.
@Suite struct IdentityStateTests {
    /// A state in which every member is set.
    private static var full: IdentityState {
        var state = IdentityFixture.empty
        _ = state.directory.setAttribute(.string("for nobody"), for: "orphan", of: nil)
        let orphaned = state.directory.anonymousAttributes
        for mpid in [1, Int64.min, Int64.max] {
            _ = state.directory.resolve(
                to: IdentityFixture.mpid(mpid),
                isLoggedIn: mpid > 1,
                isEphemeral: mpid < 0,
                request: [
                    .customerID: "c-\(mpid)", .email: "\"ü\"\u{1F600}@x", IdentityType(wireName: "new_one"): "v",
                ],
                now: IdentityFixture.now + 7
            )
        }
        let texts: [String: AttributeValue] = [
            "text": .string(""), "whole": .integer(.min), "exact": .double(3), "small": .double(0.1),
            "yes": .bool(true),
        ]
        for (key, value) in texts { _ = state.directory.setAttribute(value, for: key, of: IdentityFixture.mpid(.max)) }
        state.devices.set("t-2", for: .pushToken)
        state.devices.set("vendor", for: .iosVendorID)
        state.devices.set("own", for: IdentityType(wireName: "own_device", isDevice: true))
        state.directory.tell(
            [.pushToken: "t-1", IdentityType(wireName: "own_device", isDevice: true): "older"],
            of: IdentityFixture.mpid(.max)
        )
        state.context = "opaque=="
        state.isOptedOut = true
        _ = state.directory.setAttribute(nil, for: "yes", of: IdentityFixture.mpid(.max))
        let given = Consent(
            true,
            document: "terms \"3\"",
            timestamp: Date(milliseconds: 7),
            location: "ü",
            hardwareID: "h"
        )
        state.directory.entries[IdentityFixture.mpid(.max)]?.consent = ConsentState(gdpr: [
            "a": given, "b": Consent(false, timestamp: Date(milliseconds: 0)),
        ])
        var full = IdentityState(
            deviceApplicationStamp: state.deviceApplicationStamp,
            directory: UserDirectory(
                createdAt: state.directory.createdAt,
                entries: state.directory.entries,
                current: state.directory.current,
                firstUser: state.directory.firstUser,
                anonymousAttributes: orphaned,
                anonymousConsent: ConsentState(),
                lastRemoval: state.directory.lastRemoval
            ),
            devices: state.devices,
            context: state.context,
            isOptedOut: state.isOptedOut
        )
        full.consent = ConsentState(ccpaDataSaleOptOut: given)
        full.optedOutAfter = 1 << 40
        return full
    }

    private static func code(_ json: String) -> SignetError.Code? {
        do throws(SignetError) {
            _ = try IdentityState(decoding: Array(json.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    private static let stamp = IdentityFixture.stamp.uuidString

    @Test func everythingComesBack() throws {
        let state = Self.full
        #expect(try IdentityState(decoding: state.encoded()) == state)
        #expect(try IdentityState(decoding: IdentityFixture.empty.encoded()) == IdentityFixture.empty)
    }

    @Test func theSameStateIsTheSameBytes() throws {
        let bytes = Self.full.encoded()
        for _ in 0..<20 { #expect(try IdentityState(decoding: bytes).encoded() == bytes) }
    }

    @Test func aRecordOfVersion1IsReadForEver() throws {
        let json = """
            {"version":1,"stamp":"\(Self.stamp)","created":1700000000000,"optedOut":false,"context":"ctx",
            "current":"-2","first":"1","devices":{"push_token":"t"},"deliveredPushToken":"s",
            "orphanedAttributes":{"a":1},"users":{"1":{"loggedIn":false,"ephemeral":true,"firstSeen":1,"lastSeen":2,
            "identities":{},"attributes":{}},"-2":{"loggedIn":true,"ephemeral":false,"firstSeen":3,"lastSeen":4,
            "identities":{"email":["e@x",5]},"attributes":{"d":2.0,"b":false}}}}
            """
        let state = try IdentityState(decoding: Array(json.utf8))
        #expect(state.directory.current == IdentityFixture.mpid(-2))
        #expect(state.directory.firstUser == IdentityFixture.mpid(1))
        #expect(state.directory.entries[IdentityFixture.mpid(1)]?.isEphemeral == true)
        let entry = try #require(state.directory.entries[IdentityFixture.mpid(-2)])
        #expect(entry.isLoggedIn)
        #expect(entry.identities == [.email: .init(value: "e@x", firstSet: 5)])
        #expect(entry.attributes == ["d": .double(2), "b": .bool(false)])
        #expect(state.pushTokenChange?.old == "s")
        #expect(state.pushTokenChange?.new == "t")
        #expect(state.context == "ctx")
    }

    @Test func aDeviceIdentityThatOnlyTheAppKnowsIsStillOneOfTheDevice() throws {
        let state = try IdentityState(decoding: Self.full.encoded())
        #expect(!state.devices.values.keys.contains { !$0.isDevice })
        let entry = try #require(state.directory.entries[IdentityFixture.mpid(.max)])
        #expect(entry.deviceIdentities.count == 2)
        #expect(!entry.deviceIdentities.keys.contains { !$0.isDevice })
    }

    @Test func aNewerRecordIsRefusedAsNewer() {
        #expect(Self.code(#"{"version":3,"stamp":"\#(Self.stamp)","created":1,"users":{}}"#) == .newerFormat)
        #expect(Self.code(#"{"version":3}"#) == .newerFormat)
    }

    @Test(
        arguments: [
            "", "{", "null", "[]", "7", "{}", #"{"version":"1"}"#, #"{"version":1}"#, #"{"version":1.5}"#,
            #"{"version":0,"stamp":"x","created":1,"users":{}}"#,
            #"{"version":1,"stamp":"no uuid","created":1,"users":{}}"#,
            #"{"version":1,"stamp":"01020304-0506-4708-890A-0B0C0D0E0F10","users":{}}"#,
            #"{"version":1,"stamp":"01020304-0506-4708-890A-0B0C0D0E0F10","created":1}"#,
            #"{"version":1,"stamp":"01020304-0506-4708-890A-0B0C0D0E0F10","created":1,"users":{"0":{}}}"#,
            #"{"version":1,"stamp":"01020304-0506-4708-890A-0B0C0D0E0F10","created":1,"users":{"1":{}}}"#,
            #"{"version":1,"stamp":"01020304-0506-4708-890A-0B0C0D0E0F10","created":1,"users":{"1":{"firstSeen":1,"lastSeen":1,"identities":{"email":"e"}}}}"#,
        ]
    )
    func whatIsNoRecordIsADiskFailureAndNotANewerFormat(json: String) {
        #expect(Self.code(json) == .diskFailed)
    }

    @Test func noPrefixOfARecordIsARecord() {
        let bytes = Self.full.encoded()
        for count in 0..<bytes.count {
            #expect(throws: SignetError.self) { try IdentityState(decoding: Array(bytes.prefix(count))) }
        }
    }

    @Test func aCurrentUserWhoIsMissingIsNobody() throws {
        let json = #"{"version":1,"stamp":"\#(Self.stamp)","created":1,"current":"9","users":{}}"#
        #expect(try IdentityState(decoding: Array(json.utf8)).directory.current == nil)
    }
}
