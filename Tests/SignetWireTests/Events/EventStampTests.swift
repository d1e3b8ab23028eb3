// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@Suite struct EventStampTests {
    @Test func aStampKeepsWhatItIsGiven() {
        let stamp = EventStamp(milliseconds: 5, session: Samples.session, messageID: Samples.uuid(1))
        #expect(stamp.milliseconds == 5)
        #expect(stamp.session == Samples.session)
        #expect(stamp.messageID == Samples.uuid(1))
    }
}
