// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@Suite struct AliasBodyTests {
    func body() throws -> AliasBody {
        AliasBody(
            requestID: Samples.uuid(3),
            environment: .production,
            apiKey: "us1-key",
            source: try Samples.mpid(-6_504_934_091_054_997_508),
            destination: try Samples.mpid(9_007_199_254_740_993),
            start: 1_690_000_000_000,
            end: 1_700_000_000_000,
            deviceApplicationStamp: Samples.uuid(0xDA)
        )
    }

    @Test func mpidsAreNumbersAndTheDataIsOneLevelDown() throws {
        #expect(
            Samples.text(try self.body().encoded())
                == #"{"api_key":"us1-key","data":{"destination_mpid":9007199254740993,"#
                + #""device_application_stamp":"00000000-0000-4000-8000-0000000000DA","#
                + #""end_unixtime_ms":1700000000000,"source_mpid":-6504934091054997508,"#
                + #""start_unixtime_ms":1690000000000},"environment":"production","#
                + #""request_id":"00000000-0000-4000-8000-000000000003","request_type":"alias"}"#
        )
    }

    @Test func theDescriptionDoesNotShowTheKey() throws {
        #expect(!"\(try self.body())".contains("us1-key"))
    }
}
