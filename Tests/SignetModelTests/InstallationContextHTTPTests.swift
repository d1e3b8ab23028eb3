// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import Testing

/// What a request tells of a visitor, as far as it is to be believed.
@Suite struct InstallationContextHTTPTests {
    private func context(
        peer: String? = "203.0.113.9:50000",
        _ proxies: InstallationContext.TrustedProxies = .none,
        with fields: [(String, String)] = []
    ) -> InstallationContext {
        InstallationContext(peer: peer, trusting: proxies, fields: fields.map { (name: $0, value: $1) })
    }

    @Test func aBrowserTellsOfItsDevice() {
        let context = self.context(with: [
            ("user-agent", "Mozilla/5.0 (Linux; Android 13)"), ("ACCEPT-LANGUAGE", "en;q=0.5, de-CH, fr;q=0.9"),
            ("Sec-CH-UA-Model", "\"Pixel \\\"7\\\"\""), ("Sec-CH-UA-Platform-Version", "\"13.0.0\""),
            ("Sec-CH-UA-Arch", "\"arm\""), ("Cookie", "a=b"),
        ])
        var device = DeviceInformation()
        device.userAgent = "Mozilla/5.0 (Linux; Android 13)"
        (device.localeLanguage, device.localeCountry) = ("de", "CH")
        (device.model, device.systemVersion, device.processorArchitecture) = ("Pixel \"7\"", "13.0.0", "arm")
        #expect(context == InstallationContext(device: device, ip: IPAddress("203.0.113.9")))
    }

    @Test func aRequestThatTellsNothingSaysNothing() {
        #expect(self.context(peer: nil) == InstallationContext())
    }

    @Test(
        arguments: [
            ("de", "de", nil), ("pt-BR", "pt", "BR"), ("zh-Hant-TW", "zh", "TW"), ("gsw-CH", "gsw", "CH"),
            ("*", nil, nil),
            ("*;q=1, en-gb;q=0.1", "en", "GB"), ("en;q=0, fr;q=0.001", "fr", nil), ("en;q=0", nil, nil),
            ("en;q=2", nil, nil), ("en;q=0.1234, it", "it", nil), ("en;q=", nil, nil), ("12-34", nil, nil),
            ("", nil, nil),
            (",,,;;;q=1,nl ; q=0.3", "nl", nil), ("es-419", "es", nil), ("x\u{7}y", nil, nil), ("en_US", "en", "US"),
            ("ab;q=0.5,cd;q=0.5", "ab", nil), ("de-Latn-DE-1996", "de", "DE"), ("abcdefgh-DE", nil, nil),
        ] as [(String, String?, String?)]
    )
    func theLanguageThatIsLikedBest(field: String, language: String?, country: String?) {
        let device = self.context(peer: nil, with: [("Accept-Language", field)]).device
        #expect(device?.localeLanguage == language)
        #expect(device?.localeCountry == country)
    }

    @Test(arguments: [
        "\u{0}", "a\r\nSet-Cookie: b", String(repeating: "a", count: 1025),
        String(repeating: "e\u{301}", count: 500_000),
        "\u{9B}31m", "",
    ])
    func aUserAgentThatIsNoneIsLeftOut(value: String) {
        #expect(self.context(peer: nil, with: [("User-Agent", value)]) == InstallationContext())
        #expect(self.context(peer: nil, with: [("User-Agent", "a"), ("User-Agent", "b")]) == InstallationContext())
    }

    @Test(arguments: ["Pixel", "\"", "\"\"", "\"a", "\"a\"b", "\"a\\", "\"é\"", "?1", "\"\u{1}\""])
    func aHintThatIsNoTextIsLeftOut(value: String) {
        #expect(self.context(peer: nil, with: [("Sec-CH-UA-Model", value)]) == InstallationContext())
    }

    // MARK: - Addresses

    @Test(
        arguments: [
            ("203.0.113.9", "203.0.113.9"), ("[2001:db8::1]:443", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
            ("::ffff:203.0.113.9", "203.0.113.9"), ("unix:/run/socket", nil), ("[203.0.113.9]:1", nil),
            ("203.0.113.9:", nil),
            ("[::1", nil), ("::1]", nil), ("", nil),
        ] as [(String, String?)]
    )
    func whoeverIsConnected(peer: String, ip: String?) {
        #expect(self.context(peer: peer).ip?.description == ip)
    }

    @Test func nobodyIsBelievedWhereNoProxyIsTrusted() {
        let fields = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.2")]
        #expect(self.context(with: fields).ip?.description == "203.0.113.9")
        #expect(self.context(.xForwardedFor(-1), with: fields).ip?.description == "203.0.113.9")
    }

    @Test func aVisitorWhoSendsTheOtherFieldIsNotHeard() {
        let forged = [("Forwarded", "for=192.0.2.2"), ("X-Forwarded-For", "198.51.100.7")]
        #expect(self.context(.xForwardedFor(1), with: forged).ip?.description == "198.51.100.7")
        #expect(self.context(.forwarded(1), with: forged).ip?.description == "192.0.2.2")
        #expect(self.context(.forwarded(1), with: [forged[1]]).ip?.description == "203.0.113.9")
    }

    /// The visitor has sent the first two themselves.
    @Test(arguments: [(1, "198.51.100.2"), (2, "198.51.100.1"), (3, "6.6.6.6"), (9, "7.7.7.7")])
    func soManyProxiesAreBelieved(count: Int, ip: String) {
        let fields = [("X-Forwarded-For", "7.7.7.7, 6.6.6.6"), ("x-forwarded-for", "198.51.100.1,198.51.100.2")]
        #expect(self.context(.xForwardedFor(count), with: fields).ip?.description == ip)
        let elements = [
            ("Forwarded", "for=7.7.7.7, For=6.6.6.6"),
            ("Forwarded", "for=198.51.100.1;proto=https,for=198.51.100.2"),
        ]
        #expect(self.context(.forwarded(count), with: elements).ip?.description == ip)
    }

    @Test(
        arguments: [
            ("for=192.0.2.43", "192.0.2.43"), ("FOR = 1.1.1.1", nil), ("For=\"192.0.2.43:47011\"", "192.0.2.43"),
            ("for=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"), ("for=\"[2001:db8::1]\"", "2001:db8::1"),
            ("for=[2001:db8::1]:80", "2001:db8::1"), ("for=\"_gazonk\"", nil), ("for=_hidden;by=1.1.1.1", nil),
            ("for=unknown", nil), ("for=\"unknown:_port\"", nil), ("for=\"192.0.2.1:_port\"", "192.0.2.1"),
            ("by=1.1.1.1", nil),
            ("proto=http;for=192.0.2.43;by=203.0.113.43", "192.0.2.43"), ("for=1.1.1.1;for=2.2.2.2", nil),
            ("for=", nil),
            ("for=\"1.1.1.1", nil), ("for=1.1.1.1 2.2.2.2", nil), ("for=\"1.1\\.1.1\"", "1.1.1.1"), ("", nil),
            (";;for=1.1.1.1;", "1.1.1.1"), ("for=\"[::1]x\"", nil), ("for=\"1.1.1.1:\"", nil), ("for=1.1.1.1;=x", nil),
            ("\u{0}for=1.1.1.1", nil), ("for=999.1.1.1", nil),
        ] as [(String, String?)]
    )
    func elementsOfForwarded(line: String, ip: String?) {
        #expect(self.context(.forwarded(1), with: [("Forwarded", line)]).ip?.description == ip)
    }

    /// Within a line that a quote swallows, nobody can tell what the proxy has written.
    @Test(arguments: [
        "for=6.6.6.6;x=\", for=198.51.100.2", "for=6.6.6.6;x=\", for=\"198.51.100.2\"",
        "for=6.6.6.6, \", for=\"[2001:db8::1]:4711\";proto=\"http\"",
    ])
    func aQuoteThatIsLeftOpenForgesNothing(line: String) {
        #expect(self.context(.forwarded(1), with: [("Forwarded", line)]).ip == nil)
        let lines = [("Forwarded", line), ("Forwarded", "for=198.51.100.2")]
        #expect(self.context(.forwarded(1), with: lines).ip?.description == "198.51.100.2")
    }

    @Test(arguments: [
        "unknown", "_hidden", "", "256.1.1.1", "1.1.1.1 ;", "\"1.1.1.1\"", "[::1", "::1]", "fe80::1%eth0",
    ])
    func anEntryThatIsNoAddressIsNotReplacedByAnother(entry: String) {
        #expect(self.context(.xForwardedFor(1), with: [("X-Forwarded-For", "6.6.6.6, \(entry)")]).ip == nil)
    }

    @Test func hugeFieldsAreLeftOut() {
        let long = String(repeating: "6.6.6.6,", count: 100_000)
        for name in ["X-Forwarded-For", "Forwarded", "Accept-Language", "User-Agent", "Sec-CH-UA-Model"] {
            #expect(self.context(.xForwardedFor(1), with: [(name, long)]).device == nil)
        }
        #expect(self.context(.xForwardedFor(1), with: [("X-Forwarded-For", long)]).ip == nil)
        #expect(self.context(.forwarded(1), with: [("Forwarded", long)]).ip == nil)
    }

    /// Whatever a stranger sends, it is a context that can be sent, or none.
    @Test func noiseIsNeverAnError() {
        var random = SeededGenerator()
        let alphabet = Array("for=\"[]:;,._-\\ 0123456789abcdefFq*\u{0}\u{7F}é\u{301}\t%?")
        let names = [
            "User-Agent", "Accept-Language", "Sec-CH-UA-Model", "Sec-CH-UA-Platform-Version", "Sec-CH-UA-Arch",
            "X-Forwarded-For", "Forwarded",
        ]
        var found = 0
        let rounds = TestScale.count(quick: 2000, full: 20_000)
        for _ in 0..<rounds {
            let fields: [(name: String, value: String)] = names.map { name in
                let count = Int.random(in: 0..<40, using: &random)
                let value = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? "x" }
                return (name, String(value))
            }
            let proxies: InstallationContext.TrustedProxies =
                Bool.random(using: &random) ? .forwarded(1) : .xForwardedFor(1)
            let context = InstallationContext(peer: fields[0].value, trusting: proxies, fields: fields)
            #expect(context.violation == nil)
            if context.device != nil { found += 1 }
        }
        #expect(found > rounds / 20)
    }

    // MARK: - By hand

    @Test func whatIsSaidByHandIsWrittenIntoTheDevice() {
        var device = DeviceInformation()
        device.model = "M"
        let context = InstallationContext(device: device, userAgent: "UA", locale: "fr-ca", timeZoneOffset: -5)
        #expect(context.device?.model == "M")
        #expect(context.device?.userAgent == "UA")
        #expect(context.device?.localeLanguage == "fr")
        #expect(context.device?.localeCountry == "CA")
        #expect(context.device?.timeZoneOffset == -5)
        #expect(InstallationContext(locale: "nonsense").device == nil)
        #expect(InstallationContext(device: DeviceInformation()).device == DeviceInformation())
    }

    @Test func whatCannotBeSentIsNamed() {
        var device = DeviceInformation()
        device.model = String(repeating: "m", count: 257)
        #expect(InstallationContext(device: device).violation == "device.model")
        #expect(InstallationContext(userAgent: "a\n").violation == "device.userAgent")
        #expect(InstallationContext(userAgent: String(repeating: "a", count: 1024)).violation == nil)
        #expect(InstallationContext(timeZoneOffset: 25).violation == "device.timeZoneOffset")
        #expect(
            InstallationContext(application: ApplicationInformation(build: "\u{0}")).violation == "application.build"
        )
        device = DeviceInformation()
        device.screenWidth = -1
        #expect(InstallationContext(device: device).violation == "device.screenWidth")
    }
}
