// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct ConsentStateTests {
    @Test(
        arguments: [
            (" Location Collection\n", "location collection"), ("ADS", "ads"), ("", ""), (" \t\n", ""), ("É", "é"),
            ("a b", "a b"),
        ]
    )
    func purposesAreTrimmedAndLowerCase(text: String, purpose: String) {
        #expect(ConsentState.purpose(text) == purpose)
    }

    @Test func descriptionsTellNothingOfThePerson() {
        let consent = Consent(true, document: "MARK", location: "MARK", hardwareID: "MARK")
        let state = ConsentState(gdpr: ["ads": consent], ccpaDataSaleOptOut: consent)
        #expect(!"\(state)\(consent)".contains("MARK"))
        #expect(!String(reflecting: state).contains("MARK"))
    }

    @Test func emptyIsWhatSaysNothing() {
        #expect(ConsentState().isEmpty)
        #expect(!ConsentState(ccpaDataSaleOptOut: Consent(false)).isEmpty)
        #expect(!ConsentState(gdpr: ["ads": Consent(false)]).isEmpty)
    }
}
