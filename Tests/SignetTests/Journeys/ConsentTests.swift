// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// What users and devices agreed to, in every batch.
@Suite(.watched) struct ConsentTests {
    private static let full = ConsentState(
        gdpr: [
            " Location Collection\n": Consent(
                true,
                document: "terms 3",
                timestamp: Date(timeIntervalSince1970: 1_600_000_000),
                location: "Berlin",
                hardwareID: "hw-1"
            ), "ads": Consent(false),
        ],
        ccpaDataSaleOptOut: Consent(true)
    )

    private static func consents(_ signet: EmulatedSignet, of mpid: MPID) -> [JSONValue?] {
        signet.emulator.batches().filter { $0.mpid == mpid }.map { $0.json["consent_state"] }
    }

    @Test func everyBatchOfTheUserCarriesItAndNoOther() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let (one, two) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let one = try #require(visitor.currentUser).mpid
            try await visitor.setConsent(Self.full)
            try visitor.log(.custom("x"))
            try await signet.runtime.upload(within: .seconds(10))
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(true)]), of: one)
            try visitor.log(.custom("y"))
            return (one, two)
        }
        let consent = try #require(Self.consents(signet, of: one).compactMap { $0 }.first)
        let location = consent["gdpr"]?["location collection"]
        #expect(location?["consented"]?.bool == true)
        #expect(location?["document"]?.string == "terms 3")
        #expect(location?["timestamp_unixtime_ms"]?.number?.int64 == 1_600_000_000_000)
        #expect(location?["location"]?.string == "Berlin")
        #expect(location?["hardware_id"]?.string == "hw-1")
        #expect(consent["gdpr"]?["ads"]?["timestamp_unixtime_ms"]?.number?.int64 == signet.clock.milliseconds)
        #expect(consent["ccpa"]?["data_sale_opt_out"]?["consented"]?.bool == true)
        // What the platform knows in the end is what was said last.
        #expect(
            signet.emulator.user(one)?.consent?.gdpr.mapValues(\.isGiven) == ["ads": true]
        )
        #expect(signet.emulator.user(two)?.consent == nil)
        #expect(Self.consents(signet, of: two).allSatisfy { $0 == nil })
        #expect(signet.emulator.refusedBatches() == [])
    }

    @Test func thatOfTheInstallationSupersedesThoseOfUsersWhileItIsThereAlsoAfterARestart() async throws {
        let known = try await KnownInstallation()
        let device = ConsentState(gdpr: ["device": Consent(true, timestamp: known.clock.date)])
        let own = ConsentState(gdpr: ["own": Consent(true, timestamp: known.clock.date)])
        var one: MPID?
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            one = visitor.currentUser?.mpid
            try await visitor.setConsent(own)
            try await visitor.setInstallationConsent(device)
        }
        let second = try known.next()
        try await second.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            #expect(visitor.installationConsent == device)
            #expect(visitor.currentUser?.consent == own)
            try visitor.log(.custom("x"))
            try await signet.runtime.upload(within: .seconds(10))
            try await visitor.setInstallationConsent(nil)
            try visitor.log(.custom("y"))
        }
        let purposes = Self.consents(second, of: try #require(one)).suffix(2).map { $0?["gdpr"]?.object?.keys.sorted() }
        #expect(purposes == [["device"], ["own"]])
    }

    @Test func whatWasSaidBeforeAnybodyWasKnownIsTheFirstUsers() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.setConsent(Self.full)
            let one = try await visitor.login([.customerID: "c-1"]).user
            #expect(one.consent?.gdpr.keys.sorted() == ["ads", "location collection"])
            #expect(try await visitor.login([.customerID: "c-2"]).user.consent == nil)
        }
    }

    @Test func theDefaultCountsOnlyWhereNoneIsKnown() async throws {
        let known = try await KnownInstallation()
        let configured = ConsentState(gdpr: ["Default": Consent(true)])
        try await known.next(configure: { $0.defaultConsent = configured }).run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            #expect(visitor.currentUser?.consent?.gdpr.keys.sorted() == ["default"])
            try await visitor.setConsent(ConsentState(gdpr: ["own": Consent(false)]))
        }
        try await known.next(configure: { $0.defaultConsent = configured }).run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            #expect(visitor.currentUser?.consent?.gdpr.keys.sorted() == ["own"])
            let stranger = try await signet.runtime.open("two", identify: .none)
            #expect(try await stranger.login([.customerID: "c-9"]).user.consent?.gdpr.keys.sorted() == ["default"])
        }
        let bad = ConsentState(gdpr: [" ": Consent(true)])
        let error = #expect(throws: SignetError.self) { try known.next(configure: { $0.defaultConsent = bad }) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func whatBreaksALimitIsAnErrorAndNothingIsChanged() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let many = Dictionary(uniqueKeysWithValues: (0...100).map { ("p\($0)", Consent(true)) })
            let long = String(repeating: "x", count: 4097)
            let bad: [ConsentState] = [
                ConsentState(gdpr: ["": Consent(true)]), ConsentState(gdpr: [" \n": Consent(true)]),
                ConsentState(gdpr: ["a": Consent(true), " A": Consent(false)]), ConsentState(gdpr: many),
                ConsentState(gdpr: [String(repeating: "p", count: 257): Consent(true)]),
                ConsentState(ccpaDataSaleOptOut: Consent(true, document: long)),
                ConsentState(ccpaDataSaleOptOut: Consent(true, location: long)),
                ConsentState(ccpaDataSaleOptOut: Consent(true, hardwareID: long)),
                ConsentState(ccpaDataSaleOptOut: Consent(true, timestamp: Date(timeIntervalSince1970: .infinity))),
                ConsentState(gdpr: many.mapValues { _ in Consent(true, document: String(long.prefix(200))) }),
            ]
            for state in bad {
                let code = await code { () async throws(SignetError) in try await visitor.setConsent(state) }
                #expect(code == .invalidArgument, "\(state)")
            }
            #expect(visitor.currentUser?.consent == nil)
            let stranger = await code { () async throws(SignetError) in
                try await visitor.setConsent(nil, of: IdentityFixture.mpid(404))
            }
            #expect(stranger == .noUser)
        }
    }

    @Test func itIsNeverLeftOutWhereOtherThingsMakeRoom() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let purposes = (0..<100).map {
                ("purpose \($0)", Consent(true, document: String(repeating: "d", count: 60)))
            }
            try await visitor.setConsent(ConsentState(gdpr: Dictionary(uniqueKeysWithValues: purposes)))
            for number in 0..<4 {
                try await visitor.setAttribute(.string(String(repeating: "u", count: 4096)), for: "u\(number)")
            }
            let long = (0..<99).map { ("k\($0)", AttributeValue.string(String(repeating: "é", count: 500))) }
            try visitor.log(.custom("x", attributes: Attributes(long)))
        }
        let batch = try #require(
            signet.emulator.batches().first { $0.json["events"]?.array?.last?["event_type"] == "custom_event" }
        )
        #expect(batch.json["consent_state"]?["gdpr"]?.object?.count == 100)
        #expect(signet.runtime.statistics.eventsDeadLettered == 0)
    }
}
