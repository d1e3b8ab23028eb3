// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// The record on disk.
@Suite struct IdentityStateTests {
    /// A state in which every member is set.
    static var full: IdentityState {
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
        // In this order in each process: a change is numbered.
        let texts: KeyValuePairs<String, AttributeValue> = [
            "text": .string(""), "yes": .bool(true), "exact": .double(3), "whole": .integer(.min),
            "small": .double(0.1), "born": .date(Date(timeIntervalSince1970: 0.125)),
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
        state.directory.entries[IdentityFixture.mpid(.max)]?.unsentConsent = 9
        state.directory.entries[IdentityFixture.mpid(.max)]?.consentForEvents = 9
        state.directory.entries[IdentityFixture.mpid(.max)]?.accepted = 3
        var full = IdentityState(
            deviceApplicationStamp: state.deviceApplicationStamp,
            directory: UserDirectory(
                createdAt: state.directory.createdAt,
                entries: state.directory.entries,
                current: state.directory.current,
                firstUser: state.directory.firstUser,
                anonymousAttributes: orphaned,
                anonymousConsent: ConsentState(),
                unsentAnonymousConsent: 8,
                lastChange: state.directory.lastChange
            ),
            devices: state.devices,
            context: state.context,
            isOptedOut: state.isOptedOut
        )
        full.consent = ConsentState(ccpaDataSaleOptOut: given)
        full.consentMoment = 9
        full.optedOutAfter = 1 << 40
        return full
    }

    private static func code(_ bytes: [UInt8]) -> SignetError.Code? {
        do throws(SignetError) {
            _ = try IdentityState(decoding: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func everythingComesBack() throws {
        let state = Self.full
        #expect(try IdentityState(decoding: state.encoded()) == state)
        #expect(try IdentityState(decoding: IdentityFixture.empty.encoded()) == IdentityFixture.empty)
    }

    /// Records of before have no moment.
    @Test func aConsentOfTheInstallationWithoutAMomentCountsFromItsNewestAnswerOn() throws {
        var state = IdentityFixture.empty
        state.consent = ConsentState(gdpr: ["a": Consent(true, timestamp: Date(milliseconds: 7))])
        #expect(try IdentityState(decoding: state.encoded()).consentMoment == 7)
        state.consent = ConsentState(gdpr: ["a": Consent(true)])
        #expect(try IdentityState(decoding: state.encoded()).consentMoment == 1)
        state.consent = nil
        #expect(try IdentityState(decoding: state.encoded()).consentMoment == 0)
    }

    @Test func theSameStateIsTheSameBytes() throws {
        let bytes = Self.full.encoded()
        for _ in 0..<20 { #expect(try IdentityState(decoding: bytes).encoded() == bytes) }
    }

    @Test func aDeviceIdentityThatOnlyTheAppKnowsIsStillOneOfTheDevice() throws {
        let state = try IdentityState(decoding: Self.full.encoded())
        #expect(!state.devices.values.keys.contains { !$0.isDevice })
        let entry = try #require(state.directory.entries[IdentityFixture.mpid(.max)])
        #expect(entry.deviceIdentities.count == 2)
        #expect(!entry.deviceIdentities.keys.contains { !$0.isDevice })
    }

    @Test func aNewerRecordIsRefusedAsNewer() {
        #expect(Self.code([2] + Self.full.encoded().dropFirst()) == .newerFormat)
        #expect(Self.code([2]) == .newerFormat)
    }

    @Test(arguments: ["", "{", "null", "[]", "7", "{}", #"{"version":1}"#, "\u{0}", "\u{1}", "\u{1}\u{0}"])
    func whatIsNoRecordIsADiskFailureAndNotANewerFormat(text: String) {
        #expect(Self.code(Array(text.utf8)) == .diskFailed)
    }

    @Test func aCurrentUserWhoIsMissingIsNobody() throws {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        encoder.write("stamp", IdentityFixture.stamp)
        encoder.write("number", 1)
        encoder.write("created", 1)
        encoder.write("current", IdentityFixture.mpid(9))
        encoder.write("users", [Int]())
        #expect(try IdentityState(decoding: encoder.finish()).directory.current == nil)
    }
}
