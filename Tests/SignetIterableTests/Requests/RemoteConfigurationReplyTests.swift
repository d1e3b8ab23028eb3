// SPDX-License-Identifier: Apache-2.0

import SignetWire
import Testing

@testable import SignetIterable

@Suite struct RemoteConfigurationReplyTests {
    @Test(arguments: [
        (#"{"offlineMode":true,"autoRetry":true}"#, true, true), (#"{"offlineMode":false}"#, false, false),
        (#"{"offlineMode":true,"autoRetry":null,"more":1}"#, true, false), ("{}", false, false),
    ])
    func itIsReadWithDefaults(text: String, offlineMode: Bool, autoRetry: Bool) throws {
        let reply = try RemoteConfigurationReply(Array(text.utf8))
        #expect(reply.offlineMode == offlineMode)
        #expect(reply.autoRetry == autoRetry)
    }

    @Test(arguments: ["", "[]", #"{"offlineMode":1}"#, #"{"offlineMode":"true"}"#, #"{"autoRetry":"no"}"#])
    func whatIsNoConfigurationIsAnError(text: String) {
        #expect(throws: WireError.self) { try RemoteConfigurationReply(Array(text.utf8)) }
    }
}
