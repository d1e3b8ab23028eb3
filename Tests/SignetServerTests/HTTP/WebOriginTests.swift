// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import Testing

@testable import SignetServer

@Suite struct WebOriginTests {
    @Test(arguments: [
        ("https://shop.example", "https://shop.example"), ("HTTPS://Shop.Example:443", "https://shop.example"),
        ("http://localhost:5173", "http://localhost:5173"), ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("https://shop.example:80", "https://shop.example:80"), ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://a-b_c.example:065", "http://a-b_c.example:65"),
    ])
    func anOriginIsReadAsBrowsersWriteIt(text: String, origin: String) {
        #expect(WebOrigin(text)?.description == origin)
    }

    @Test(
        arguments: [
            "", "null", "*", "https://*", "https://*.shop.example", "https://", "http://:80", "shop.example",
            "//shop.example", "https:/shop.example", "https:shop.example", "https://shop.example/",
            "https://shop.example/cart", "https://shop.example?x", "https://shop.example#x", "https://ann@shop.example",
            "https://shop.example:", "https://shop.example:x", "https://shop.example:65536", "https://shop.example:-1",
            "https://shop.example:1:2", "https://shop.example evil.example", " https://shop.example",
            "https://shop.example\n", "https://shop.example, https://evil.example", "https://shöp.example",
            "http://[::1", "http://[]", "http://[evil]", "http://[::1]x", "file://", "ftp://shop.example",
            "chrome-extension://shop", "https://shop.example:４４３",
        ]
    )
    func anythingElseIsNoOrigin(text: String) {
        #expect(WebOrigin(text) == nil)
    }
}
#endif
