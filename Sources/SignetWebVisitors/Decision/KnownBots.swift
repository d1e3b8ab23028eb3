// SPDX-License-Identifier: Apache-2.0

/// The programs that are no visitors, by their `User-Agent`.
///
/// A request is of a bot if it has no `User-Agent`, or one with a word of ``words``, in any case, or with the word `bot` at the
/// end of a word (`Googlebot/2.1`, `bingbot`, `robot`; not the phone `CUBOT`). Bots that pretend to be browsers pass; the
/// ``VisitorLimit`` is for them.
public enum KnownBots {
    /// Parts of the `User-Agent` of crawlers, previews, monitors and libraries for scripts, in lower case.
    public static let words = [
        // Crawlers that do not call themselves bots.
        "crawl", "spider", "slurp", "scrapy", "ia_archiver", "mediapartners-google", "google-inspectiontool",
        "googleother", "google-read-aloud", "apis-google", "feedfetcher", "meta-externalagent", "bytespider",
        "chatgpt-user", "claude-user", "perplexity-user", "cohere-ai",
        // Previews of links.
        "bingpreview", "facebookexternalhit", "whatsapp/", "skypeuripreview", "embedly", "vkshare",
        "flipboardproxy",
        // Monitors and load balancers.
        "pingdom", "statuscake", "site24x7", "datadog", "newrelicpinger", "kube-probe", "elb-healthchecker",
        "googlehc", "google-cloud-", "envoy/hc", "haproxy", "nagios", "check_http", "checkly", "lighthouse",
        "pagespeed", "gtmetrix",
        // Browsers without a person.
        "headless", "phantomjs", "puppeteer", "playwright", "selenium",
        // Libraries and commands.
        "curl/", "wget", "httpie", "python-", "aiohttp", "httpx", "go-http-client", "java/",
        "apache-httpclient", "libwww", "guzzlehttp", "axios/", "node-fetch", "undici", "postmanruntime",
        "insomnia/", "masscan", "zgrab", "nmap", "nikto", "sqlmap",
    ]

    /// The most bytes of a `User-Agent` that are looked at.
    private static let limit = 512

    /// True if the `User-Agent` of a request is that of a bot, or is missing.
    public static func sends(_ request: VisitorRequest) -> Bool {
        guard let agent = request["User-Agent"] else { return true }
        let text = String(decoding: agent.utf8.prefix(Self.limit).map(VisitorRequest.lower), as: UTF8.self)
        guard text.utf8.contains(where: { $0 > UInt8(ascii: " ") }) else { return true }
        return Self.namesBot(Array(text.utf8)) || Self.words.contains { Self.contains(text.utf8, $0.utf8) }
    }

    /// True for `bot` with no letter behind it, but for `cubot`.
    private static func namesBot(_ text: [UInt8]) -> Bool {
        let bot = Array("bot".utf8)
        return text.indices.contains { start in
            guard text[start...].starts(with: bot) else { return false }
            if start >= 2, text[(start - 2)...].starts(with: "cubot".utf8) { return false }
            let next = start + bot.count
            return next == text.endIndex || !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= text[next])
        }
    }

    private static func contains(_ text: String.UTF8View, _ word: String.UTF8View) -> Bool {
        var rest = text[...]
        while rest.count >= word.count {
            if rest.starts(with: word) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
