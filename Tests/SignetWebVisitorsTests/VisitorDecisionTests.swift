// SPDX-License-Identifier: Apache-2.0

import SignetWebVisitors
import Testing

@Suite struct VisitorDecisionTests {
    private static let visitor = VisitorID.random()
    private static let kinds: [VisitorRequest.Kind] = [.page, .cookieWithheld, .probe, .prefetch, .asset]

    /// Who it is, what the visitor says, the cookie, and a cell for each kind of request in the order of ``kinds``.
    ///
    /// `open`, `renew` and `new` open an installation; a minus says that the cookie goes, an equals sign that it stays.
    private static let table = """
        person given     none      | new        =withheld  =noPage    =noPage    =noPage
        person given     valid     | open       open       open       open       open
        person given     oldKey    | renew      renew      renew      renew      renew
        person given     forged    | -forged    -forged    -forged    -forged    -forged
        person given     oversized | -oversized -oversized -oversized -oversized -oversized
        person given     unread    | =oversized =oversized =oversized =oversized =oversized
        person given     duplicate | =duplicate =duplicate =duplicate =duplicate =duplicate
        person undecided none      | =consent   =consent   =consent   =consent   =consent
        person undecided valid     | =consent   =consent   =consent   =consent   =consent
        person undecided oldKey    | =consent   =consent   =consent   =consent   =consent
        person undecided forged    | =consent   =consent   =consent   =consent   =consent
        person undecided oversized | =consent   =consent   =consent   =consent   =consent
        person undecided unread    | =consent   =consent   =consent   =consent   =consent
        person undecided duplicate | =consent   =consent   =consent   =consent   =consent
        person refused   none      | =consent   =consent   =consent   =consent   =consent
        person refused   valid     | -consent   -consent   -consent   -consent   -consent
        person refused   oldKey    | -consent   -consent   -consent   -consent   -consent
        person refused   forged    | -consent   -consent   -consent   -consent   -consent
        person refused   oversized | -consent   -consent   -consent   -consent   -consent
        person refused   unread    | -consent   -consent   -consent   -consent   -consent
        person refused   duplicate | -consent   -consent   -consent   -consent   -consent
        bot    given     none      | =bot       =bot       =bot       =bot       =bot
        bot    given     valid     | =bot       =bot       =bot       =bot       =bot
        bot    given     oldKey    | =bot       =bot       =bot       =bot       =bot
        bot    given     forged    | =bot       =bot       =bot       =bot       =bot
        bot    given     oversized | =bot       =bot       =bot       =bot       =bot
        bot    given     unread    | =bot       =bot       =bot       =bot       =bot
        bot    given     duplicate | =bot       =bot       =bot       =bot       =bot
        bot    undecided none      | =bot       =bot       =bot       =bot       =bot
        bot    undecided valid     | =bot       =bot       =bot       =bot       =bot
        bot    undecided oldKey    | =bot       =bot       =bot       =bot       =bot
        bot    undecided forged    | =bot       =bot       =bot       =bot       =bot
        bot    undecided oversized | =bot       =bot       =bot       =bot       =bot
        bot    undecided unread    | =bot       =bot       =bot       =bot       =bot
        bot    undecided duplicate | =bot       =bot       =bot       =bot       =bot
        bot    refused   none      | =bot       =bot       =bot       =bot       =bot
        bot    refused   valid     | =bot       =bot       =bot       =bot       =bot
        bot    refused   oldKey    | =bot       =bot       =bot       =bot       =bot
        bot    refused   forged    | =bot       =bot       =bot       =bot       =bot
        bot    refused   oversized | =bot       =bot       =bot       =bot       =bot
        bot    refused   unread    | =bot       =bot       =bot       =bot       =bot
        bot    refused   duplicate | =bot       =bot       =bot       =bot       =bot
        """

    private static let cells: [String: VisitorDecision] = [
        "open": .open(visitor, renewsCookie: false), "renew": .open(visitor, renewsCookie: true), "new": .create,
        "-forged": .skip(.forged, removesCookie: true), "-oversized": .skip(.oversized, removesCookie: true),
        "=oversized": .skip(.oversized, removesCookie: false),
        "=duplicate": .skip(.duplicate, removesCookie: false), "=consent": .skip(.noConsent, removesCookie: false),
        "-consent": .skip(.noConsent, removesCookie: true), "=bot": .skip(.bot, removesCookie: false),
        "=withheld": .skip(.cookieWithheld, removesCookie: false), "=noPage": .skip(.noPage, removesCookie: false),
    ]

    private static let cookies: [String: VisitorCookieState] = [
        "none": .none, "valid": .valid(visitor), "oldKey": .oldKey(visitor), "forged": .forged, "oversized": .oversized,
        "unread": .unread, "duplicate": .duplicate,
    ]

    @Test func everyCellIsAsWritten() throws {
        #expect(Set(Self.kinds) == Set(VisitorRequest.Kind.allCases))
        var seen: Set<[String]> = []
        for row in Self.table.split(separator: "\n") {
            let words = row.split(separator: " ").map(String.init)
            try #require(words.count == 4 + Self.kinds.count, "\(row)")
            let cookie = try #require(Self.cookies[words[2]])
            let consent = try #require(VisitorConsent.allCases.first { "\($0)" == words[1] })
            seen.insert(Array(words[0..<3]))
            for (kind, cell) in zip(Self.kinds, words[4...]) {
                let decision = VisitorDecision(cookie: cookie, consent: consent, isBot: words[0] == "bot", kind: kind)
                #expect(decision == (try #require(Self.cells[cell])), "\(row) \(kind)")
            }
        }
        #expect(seen.count == 2 * VisitorConsent.allCases.count * Self.cookies.count)
    }
}
