// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@Suite struct IdentityChangeTests {
    @Test func theDescriptionTellsTheKindAndNoValue() {
        #expect("\(IdentityChange(type: .email, old: nil, new: "a@x"))" == "IdentityChange(add email)")
        #expect("\(IdentityChange(type: .email, old: "a@x", new: "b@x"))" == "IdentityChange(replace email)")
        #expect("\(IdentityChange(type: .email, old: "a@x", new: nil))" == "IdentityChange(remove email)")
    }
}
