// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("2001:db8::1:0:0:1", "2001:db8::1:0:0:1"), ("::FFFF:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
        ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ])
    func anAddressHasOneSpelling(text: String, spelling: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == spelling)
        #expect(IPAddress(spelling) == address)
        #expect(address.isVersion6 == spelling.contains(":"))
    }

    @Test(arguments: [
        "", " ", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "01.2.3.4", "1.2.3.+4", "1.2.3.-0", " 1.2.3.4",
        "1.2.3.4 ",
        "1.2.3.4:80", "[::1]", "::1%eth0", ":::", "1:::2", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::",
        "g::", "+1::", "-0::", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7::8", "unknown", "_hidden",
        "١.٢.٣.٤", "1.2.3.4\u{0}", "localhost",
    ])
    func anythingElseIsNoAddress(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func aLongTextIsNoAddress() {
        #expect(IPAddress(String(repeating: "1.", count: 1_000_000)) == nil)
        #expect(IPAddress(String(repeating: ":", count: 1_000_000)) == nil)
    }
}
