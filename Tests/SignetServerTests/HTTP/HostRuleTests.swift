// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import Testing

@testable import SignetServer

@Suite struct HostRuleTests {
    @Test(arguments: [
        "localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:80", "10.0.0.7:1", "shop.test:9",
    ])
    func addressesAndAllowedNamesAreAnswered(host: String) {
        #expect(HostRule(names: ["Shop.test"]).allows(host))
    }

    @Test(
        arguments: [
            "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1:80@evil.example",
            "256.0.0.1",
            "localhost:", "localhost:8x", "[::1", "[evil]", "0x7f000001", "127.1", "localhost evil", ":80", "１27.0.0.1",
        ]
    )
    func otherNamesAreNot(host: String) {
        // An empty port is a port all the same (RFC 3986, 3.2.3).
        #expect(HostRule(names: ["shop.test"]).allows(host) == (host == "localhost:"))
    }

    @Test func noHostIsNotAnswered() {
        #expect(!HostRule().allows(nil))
    }
}
#endif
