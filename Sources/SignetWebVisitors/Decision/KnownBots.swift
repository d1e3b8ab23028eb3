// SPDX-License-Identifier: Apache-2.0

/// The programs that are no visitors, by the form and the words of their `User-Agent`.
///
/// The first line that holds decides:
///
/// 1. A request without a `User-Agent` is of a machine.
/// 2. `Amazon CloudFront` is a person: CloudFront sends it in place of the viewer's own.
/// 3. A `User-Agent` without `Mozilla/`, `Opera/` or `UCWEB/` in front is no browser's.
/// 4. One with an address of a contact, `+http`, is of a machine.
/// 5. One with a word that ends with `bot`, `crawl`, `crawler` or `spider` is of a machine, but for the phone `CUBOT`.
/// 6. One with a word of ``words`` is of a machine.
///
/// Case does not count. Machines that pretend to be browsers pass; the ``VisitorLimit`` is for them. An app of your own passes if
/// it is named in ``WebVisitorsConfiguration/appUserAgents``.
public enum KnownBots {
    /// Words of machines that begin as a browser does, in lower case.
    ///
    /// A word counts if no letter and no digit continues it: `Health-Check/1` has `check`, and `Checkout/1` does not.
    public static let words = [
        // Monitors and load balancers.
        "health", "healthcheck", "healthchecks", "healthchecker", "probe", "probes", "monitor", "monitors",
        "monitoring", "uptime", "check", "checks", "checker", "traffic-manager", "nodeping", "pingdom",
        "pingdompagespeed", "statuscake", "site24x7", "datadog", "datadogsynthetics", "newrelicpinger", "checkly",
        "zabbix", "lighthouse", "pagespeed", "gtmetrix",
        // Crawlers that do not call themselves bots, and agents that read for a person.
        "slurp", "mediapartners-google", "google-inspectiontool", "googleother", "google-read-aloud", "chatgpt-user",
        "claude-user", "perplexity-user", "cohere-ai", "httrack",
        // Previews of links.
        "bingpreview", "facebookexternalhit", "skypeuripreview", "embedly", "vkshare", "flipboardproxy",
        "google favicon", "google web preview",
        // Browsers without a person, and commands.
        "headless", "headlesschrome", "headlessedg", "phantomjs", "puppeteer", "playwright", "selenium", "powershell",
        "windowspowershell", "zgrab", "nmap", "nikto",
    ]

    /// The most bytes of a `User-Agent` that are looked at.
    private static let limit = 512
    private static let browsers = ["mozilla/", "opera/", "ucweb/"].map { Array($0.utf8) }
    private static let endings = ["bot", "crawl", "crawler", "spider"].map { Array($0.utf8) }
    private static let wholeWords = Self.words.map { Array($0.utf8) }

    /// True if the `User-Agent` of a request is that of a machine, or is missing.
    public static func sends(_ request: VisitorRequest) -> Bool {
        guard let agent = request["User-Agent"] else { return true }
        let text = agent.utf8.prefix(Self.limit).map(VisitorRequest.lower)
        if text.elementsEqual("amazon cloudfront".utf8) { return false }
        guard Self.browsers.contains(where: { text.starts(with: $0) }) else { return true }
        return text.indices.contains { Self.hasSign(text[$0...], of: text) }
    }

    /// True if the rest of a text begins with a sign of machines.
    private static func hasSign(_ rest: ArraySlice<UInt8>, of text: [UInt8]) -> Bool {
        if rest.starts(with: "+http".utf8) { return true }
        if Self.endings.contains(where: { Self.ends(a: $0, rest, of: text) }) { return true }
        guard rest.startIndex == 0 || !UserAgentWord.continues(text[rest.startIndex - 1]) else { return false }
        return Self.wholeWords.contains { UserAgentWord.isWhole($0, at: rest) }
    }

    /// True for an ending with no letter behind it: `Googlebot/2.1`, `bot2`; not `Botany`, and not `CUBOT`.
    private static func ends(a ending: [UInt8], _ rest: ArraySlice<UInt8>, of text: [UInt8]) -> Bool {
        guard rest.starts(with: ending) else { return false }
        if rest.startIndex >= 2, text[(rest.startIndex - 2)...].starts(with: "cubot".utf8) { return false }
        return rest.dropFirst(ending.count).first.map { !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0) } ?? true
    }
}
