// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct ServerHostTests {
    private static func isRefusedAsHost(_ host: String) -> Bool {
        for text in ["https://\(host)", "https://\(host):8443/v1", "http://\(host)"] {
            do {
                _ = try ServerURL(text)
                return false
            } catch {
                guard error.code == .invalidHost else { return false }
            }
        }
        return true
    }

    @Test(arguments: [
        "", ".", "..", ".example.com", "example.com.", "localhost.", "a..b", "-a", "a-", "a.-b.c", "a_b.example.com",
        "*.example.com", "exa%6Dple.com", "example.com,evil.com", "example.com;", "a+b", "(a)", "a=b", "'a'", "a&b",
        "!",
        "~", "$HOME",
    ])
    func namesThatAreNotHostNamesAreRefused(host: String) {
        #expect(Self.isRefusedAsHost(host))
    }

    /// All of these reach 127.0.0.1 or another address through some resolver.
    @Test(arguments: [
        "0x7f000001", "0X7F000001", "0x7f.0.0.1", "127.0.0.0x1", "2130706433", "017700000001", "0177.0.0.1", "127.1",
        "127.0.1", "0", "1", "0x", "127.0.0.01", "127.0.0.001", "127.00.0.1", "256.0.0.1", "127.0.0.256", "1.2.3.4.5",
        "127.0.0.1.", "example.1", "example.0x1", "example.0x", "1.2.3.4444", "99999999999.0.0.1", "127.0.0.-1",
    ])
    func numbersThatAreNotDottedDecimalAreRefused(host: String) {
        #expect(Self.isRefusedAsHost(host))
    }

    @Test(arguments: [
        "[::ffff:127.0.0.1]", "[::]", "[::2]", "[0:0:0:0:0:0:0:1]", "[0::1]", "[2001:db8::1]", "[fe80::1%25eth0]",
        "[::1",
        "[]", "[::1]x", "[[::1]]", "[127.0.0.1]", "::1]", "[v1.x]", "[::1].example.com", "a[::1]",
    ])
    func otherThingsInBracketsAreRefused(host: String) {
        #expect(throws: ServerURL.ParsingError.self) { try ServerURL("https://\(host)") }
        #expect(throws: ServerURL.ParsingError.self) { try ServerURL("http://\(host)") }
    }

    @Test(arguments: ["a", "9a", "1e3", "0xg", "a-b.c-d", "127.0.0.1.example", "1.2.3.4a", "xn--p1ai", "a--b", "0.a"])
    func namesThatOnlyLookLikeNumbersAreNames(host: String) throws {
        #expect(try ServerURL("https://\(host)").host == host)
        #expect(throws: ServerURL.ParsingError.self) { try ServerURL("http://\(host)") }
    }

    @Test func namesAndLabelsHaveAnEnd() throws {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(longest.utf8.count == 253)
        #expect(try ServerURL("https://\(longest)").host == longest)
        #expect(Self.isRefusedAsHost(longest + "b"))
        #expect(Self.isRefusedAsHost(label + "a"))
    }
}
