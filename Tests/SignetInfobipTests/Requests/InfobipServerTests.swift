// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

@Suite struct InfobipServerTests {
    private static func user(_ server: InfobipServer) -> String {
        server.url(for: .depersonalize("i"))
    }

    @Test(arguments: ["New-Base-URL", "new-base-url", "NEW-BASE-URL"])
    func theServiceNamesAnotherAddressWhateverTheCaseOfTheHeader(name: String) throws {
        let headers = Samples.headers((name, "https://mobile-2.infobip.com/"))
        let server = try #require(InfobipServer.production.redirected(by: headers))
        #expect(Self.user(server) == "https://mobile-2.infobip.com/mobile/1/appinstance/i/depersonalize")
        #expect(server.announcedURL == "https://mobile-2.infobip.com")
        // To ask for the address goes to the documented one, whatever was named.
        #expect(server.url(for: .baseURL) == "https://mobile.infobip.com/mobile/1/baseurl")
        #expect(server.reset == .production)
        #expect(server.redirected(by: headers) == nil)
        #expect(server.redirected(to: "https://mobile.infobip.com") == .production)
        #expect(server.looksUp)
    }

    @Test(arguments: [
        "", "mobile-2.infobip.com", "http://mobile-2.infobip.com", "http://localhost:1",
        "https://infobip.com.example.org",
        "https://evilinfobip.com", "https://user@mobile-2.infobip.com", "https://mobile-2.infobip.com:8443",
        "https://mobile-2.infobip.com/?a", "https://127.0.0.1", "https://mobile.infobip.com",
        "ftp://mobile.infobip.com",
    ])
    func whatIsNotToBeBelievedIsNot(text: String) {
        #expect(InfobipServer.production.redirected(to: text) == nil)
    }

    @Test func aHeaderThatIsThereTwiceIsNone() {
        let headers = Samples.headers(
            ("New-Base-URL", "https://mobile-2.infobip.com"),
            ("New-Base-URL", "https://mobile-3.infobip.com")
        )
        #expect(InfobipServer.production.redirected(by: headers) == nil)
        #expect(InfobipServer.production.redirected(by: HTTPHeaders()) == nil)
    }

    @Test func aServerOfOnesOwnIsNotLeft() throws {
        let own = InfobipServer(try ServerURL("https://people.example.com:8443/emulator"))
        #expect(Self.user(own) == "https://people.example.com:8443/emulator/mobile/1/appinstance/i/depersonalize")
        #expect(own.url(for: .baseURL) == "https://people.example.com:8443/emulator/mobile/1/baseurl")
        #expect(!own.looksUp)
        for text in ["https://mobile-2.infobip.com", "https://people.example.com", "https://example.com:8443"] {
            #expect(own.redirected(to: text) == nil)
        }
        let moved = try #require(own.redirected(to: "https://people.example.com:8443/v2"))
        #expect(Self.user(moved) == "https://people.example.com:8443/v2/mobile/1/appinstance/i/depersonalize")
        #expect(moved.reset == own)
    }
}
