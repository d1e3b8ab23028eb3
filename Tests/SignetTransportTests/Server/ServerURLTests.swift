// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct ServerURLTests {
    private static func code(of text: String) -> ServerURL.ParsingError.Code? {
        do {
            _ = try ServerURL(text)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        ("https://example.com", "https://example.com"),
        ("https://example.com/", "https://example.com"),
        ("HTTPS://Example.COM", "https://example.com"),
        ("https://example.com:443/v1/", "https://example.com/v1"),
        ("https://example.com:0443", "https://example.com"),
        ("https://example.com:80", "https://example.com:80"),
        ("https://example.com:65535", "https://example.com:65535"),
        ("https://example.com:1", "https://example.com:1"),
        ("https://a/B/c-._~!$&'()*+,;=:@", "https://a/B/c-._~!$&'()*+,;=:@"),
        ("https://a/...", "https://a/..."),
        ("https://a/.hidden", "https://a/.hidden"),
        ("https://169.254.169.254", "https://169.254.169.254"),
        ("https://0.0.0.0", "https://0.0.0.0"),
        ("https://[::1]:8443/x", "https://[::1]:8443/x"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("http://localhost", "http://localhost"),
        ("http://LocalHost:8080/", "http://localhost:8080"),
        ("http://localhost:80", "http://localhost"),
        ("http://127.0.0.1:8080/emulator", "http://127.0.0.1:8080/emulator"),
        ("http://127.255.255.254", "http://127.255.255.254"),
        ("http://[::1]", "http://[::1]"),
    ])
    func anAddressHasOneSpelling(text: String, expected: String) throws {
        let url = try ServerURL(text)
        #expect(url.text == expected)
        #expect(url.description == expected)
        #expect(try ServerURL(url.text) == url)
    }

    @Test func thePartsAreAtHand() throws {
        let plain = try ServerURL("https://Example.com:443/")
        #expect(plain.host == "example.com")
        #expect(plain.port == nil)
        #expect(plain.pathPrefix.isEmpty)

        let full = try ServerURL("http://[::1]:8080/a/b/")
        #expect(full.host == "[::1]")
        #expect(full.port == 8080)
        #expect(full.pathPrefix == "/a/b")
    }

    @Test(arguments: [
        "", "example.com", "//example.com", "/v1", "ftp://example.com", "javascript:alert(1)", "file:///etc/passwd",
        "https:example.com", "https:/example.com", "https", "://example.com", "httpss://example.com", "ws://localhost",
        "blob:https://example.com", "unix:///tmp/socket",
    ])
    func otherSchemesAreRefused(text: String) {
        #expect(Self.code(of: text) == .unsupportedScheme)
    }

    @Test(arguments: [
        "http://example.com", "http://localhost.example.com", "http://localhost.localdomain",
        "http://example.localhost",
        "http://127.0.0.1.example.com", "http://128.0.0.1", "http://126.255.255.255", "http://0.0.0.0",
        "http://10.0.0.1",
        "http://169.254.169.254", "http://192.168.0.1", "http://example.com:443",
    ])
    func plainHTTPToAnotherMachineIsRefused(text: String) {
        #expect(Self.code(of: text) == .insecure)
    }

    @Test(arguments: [
        "https://user:pw@example.com", "https://user@example.com", "https://@example.com", "https://:@example.com",
        "https://example.com@evil.com", "http://localhost:80@evil.com", "http://127.0.0.1@evil.com/",
    ])
    func userNamesAndPasswordsAreRefused(text: String) {
        #expect(Self.code(of: text) == .userInfo)
    }

    @Test(arguments: [
        "https://example.com?x=1", "https://example.com/#x", "https://example.com/?", "https://example.com#",
        "https://?x", "https://example.com/a?b#c",
    ])
    func queriesAndFragmentsAreRefused(text: String) {
        #expect(Self.code(of: text) == .queryOrFragment)
    }

    @Test(arguments: [
        "https://example.com\\@evil.com/", "https:\\\\example.com", "https://h\\@evil", " https://example.com",
        "https://example.com ", "https://exa mple.com", "https://example.com/a b", "https://example.com\r\n",
        "https://example.com/\r\nX-Evil: 1", "https://example.com\t", "https://example.com\u{0}", "https://\u{7F}a",
        "https://ex\u{430}mple.com", "https://bücher.example", "https://example。com", "https://example.com/ä",
        "https://\u{202E}moc.elpmaxe", "https://１２７.0.0.1", "https://example.com\u{AD}", "ｈttps://example.com",
        "https://example.com/\u{85}",
    ])
    func charactersThatAreNotPlainAreRefused(text: String) {
        #expect(Self.code(of: text) == .forbiddenCharacter)
    }

    @Test(arguments: [
        "https://example.com:0", "https://example.com:", "https://example.com:65536", "https://example.com:99999",
        "https://example.com:-1", "https://example.com:+1", "https://example.com:4x3", "https://example.com:000443",
        "https://example.com:99999999999999999999", "https://example.com:80:80", "https://[::1]:",
        "http://localhost:0x50",
        "https://example.com:443:",
    ])
    func portsThatAreNotPortsAreRefused(text: String) {
        #expect(Self.code(of: text) == .invalidPort)
    }

    @Test(arguments: [
        "https://example.com/..", "https://example.com/../a", "https://example.com/a/../b", "https://example.com/a/..",
        "https://example.com/.", "https://example.com/./a", "https://example.com//", "https://example.com/a//b",
        "https://example.com//evil.com", "https://example.com/%2e%2e", "https://example.com/a%20b",
        "https://example.com/%00", "https://example.com/%", "https://example.com/a/b//", "https://example.com/<a>",
        "https://example.com/\"", "https://example.com/{x}", "https://example.com/a|b", "https://example.com/a^b",
        "https://example.com/`", "https://example.com/[a]",
    ])
    func pathsThatAreNotPlainAreRefused(text: String) {
        #expect(Self.code(of: text) == .invalidPath)
    }

    @Test func anAddressHasAnEnd() throws {
        let prefix = "https://example.com/"
        let longest = prefix + String(repeating: "a", count: 2048 - prefix.utf8.count)
        #expect(try ServerURL(longest).text == longest)
        #expect(Self.code(of: longest + "a") == .tooLong)
        #expect(Self.code(of: String(repeating: "https://", count: 1 << 17)) == .tooLong)
    }

    @Test(arguments: [
        "https://ada:hunter2@example.com", "gopher://hunter2", "https://example.com:hunter2", "https://hunter2_/",
        "https://example.com/%hunter2", "http://hunter2.example.com", "https://example.com?hunter2",
    ])
    func theErrorSaysWhatIsAllowedAndDoesNotRepeatTheText(text: String) {
        let error = #expect(throws: ServerURL.ParsingError.self) { try ServerURL(text) }
        #expect(error.map { !"\($0)".contains("hunter2") && $0.message.count > 30 } == true)
        #expect(error.map { "\($0)".hasPrefix("\($0.code): ") } == true)
    }
}
