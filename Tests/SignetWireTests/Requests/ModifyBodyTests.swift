// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@Suite struct ModifyBodyTests {
    @Test func everyChangeHasItsThreeMembers() {
        let body = ModifyBody(
            environment: .development,
            requestID: Samples.uuid(2),
            milliseconds: 5,
            changes: [
                IdentityChange(type: .customerID, old: nil, new: "1"),
                IdentityChange(type: .email, old: "a@x", new: "b@x"),
                IdentityChange(type: .other, old: "z", new: nil),
            ],
            client: ClientInfo(platform: .other, vendor: "v", version: "1")
        )
        #expect(
            Samples.text(body.encoded())
                == #"{"client_sdk":{"platform":"other","sdk_vendor":"v","sdk_version":"1"},"environment":"development","#
                + #""identity_changes":[{"identity_type":"customerid","new_value":"1","old_value":null},"#
                + #"{"identity_type":"email","new_value":"b@x","old_value":"a@x"},"#
                + #"{"identity_type":"other","new_value":null,"old_value":"z"}],"#
                + #""request_id":"00000000-0000-4000-8000-000000000002","request_timestamp_ms":5}"#
        )
    }

    @Test func theSDKIsNamedUnlessToldOtherwise() {
        let body = ModifyBody(environment: .production, requestID: Samples.uuid(2), milliseconds: 5, changes: [])
        #expect(Samples.text(body.encoded()).hasPrefix(#"{"client_sdk":{"platform":"other","sdk_vendor":"signet","#))
    }
}
