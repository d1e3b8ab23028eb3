// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@testable import SignetWire

@Suite struct ConsentLimitsTests {
    private static func state(_ count: Int, document: Int = 0) -> ConsentState {
        let consent = Consent(true, document: document == 0 ? nil : String(repeating: "d", count: document))
        return ConsentState(gdpr: Dictionary(uniqueKeysWithValues: (0..<count).map { ("p\($0)", consent) }))
    }

    @Test func whatIsWithinTheLimitsMayBe() {
        #expect(ConsentLimits.violation(of: ConsentState()) == nil)
        #expect(ConsentLimits.violation(of: Self.state(100)) == nil)
        #expect(ConsentLimits.violation(of: Self.state(1, document: 4096)) == nil)
    }

    @Test func eachLimitIsNamed() {
        let longPurpose = ConsentState(gdpr: [String(repeating: "p", count: 257): Consent(true)])
        let notAMoment = Consent(true, timestamp: Date(timeIntervalSince1970: .nan))
        #expect(ConsentLimits.violation(of: Self.state(101))?.code == .tooManyPurposes)
        #expect(ConsentLimits.violation(of: ConsentState(gdpr: ["": Consent(true)]))?.code == .emptyField)
        #expect(ConsentLimits.violation(of: longPurpose)?.code == .fieldTooLong)
        #expect(ConsentLimits.violation(of: Self.state(1, document: 4097))?.code == .fieldTooLong)
        #expect(ConsentLimits.violation(of: Self.state(100, document: 200))?.code == .consentTooLong)
        #expect(ConsentLimits.violation(of: ConsentState(ccpaDataSaleOptOut: notAMoment))?.code == .dateOutOfRange)
    }
}
