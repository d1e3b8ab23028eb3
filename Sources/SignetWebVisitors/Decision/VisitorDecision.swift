// SPDX-License-Identifier: Apache-2.0

/// The decision about a request: the installation to open, and the change of the cookie.
///
/// A pure function of four facts, so that it can be tested as a table. In this order:
///
/// 1. A bot is skipped; its cookie stays.
/// 2. Without consent nothing is opened. A refusal removes the cookie.
/// 3. A signed cookie opens its installation, whatever the request is for; one of an old key is signed again.
/// 4. A forged or oversized cookie opens nothing and is removed, so that the next request can begin anew. Cookies that
///    differ open nothing and stay: this server can remove only one of them. Cookies too many to read stay, too: a valid
///    one may be among them.
/// 5. No cookie makes a new visitor, but only for a page.
public enum VisitorDecision: Sendable, Hashable {
    /// Opens the installation of a known visitor.
    case open(VisitorID, renewsCookie: Bool)
    /// Opens an installation for a new visitor and sets a cookie, if the limit allows one more.
    case create
    /// Opens nothing.
    case skip(Reason, removesCookie: Bool)

    /// The reasons for opening nothing.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The request is of a bot.
        case bot
        /// There is no consent, or not yet.
        case noConsent
        /// No key has signed the cookie.
        case forged
        /// The cookie is too long to be one, or all cookies together are too long to be read.
        case oversized
        /// There are several cookies that differ.
        case duplicate
        /// There is no cookie, and the browser may have withheld it; see ``VisitorRequest/Kind/cookieWithheld``.
        case cookieWithheld
        /// There is no cookie, and the request is for no page.
        case noPage
        /// There are too many new visitors; see ``VisitorLimit``.
        case limited
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - cookie: The state of the cookie.
    ///   - consent: The answer of the consent hook.
    ///   - isBot: True for a bot.
    ///   - kind: The purpose of the request.
    public init(cookie: VisitorCookieState, consent: VisitorConsent, isBot: Bool, kind: VisitorRequest.Kind) {
        if isBot {
            self = .skip(.bot, removesCookie: false)
            return
        }
        switch consent {
        case .undecided: self = .skip(.noConsent, removesCookie: false)
        case .refused: self = .skip(.noConsent, removesCookie: cookie != .none)
        case .given: self = Self.consented(cookie, kind)
        }
    }

    private static func consented(_ cookie: VisitorCookieState, _ kind: VisitorRequest.Kind) -> VisitorDecision {
        switch cookie {
        case .valid(let visitor): .open(visitor, renewsCookie: false)
        case .oldKey(let visitor): .open(visitor, renewsCookie: true)
        case .forged: .skip(.forged, removesCookie: true)
        case .oversized: .skip(.oversized, removesCookie: true)
        case .unread: .skip(.oversized, removesCookie: false)
        case .duplicate: .skip(.duplicate, removesCookie: false)
        case .none:
            switch kind {
            case .page: .create
            case .cookieWithheld: .skip(.cookieWithheld, removesCookie: false)
            case .probe, .prefetch, .asset: .skip(.noPage, removesCookie: false)
            }
        }
    }
}
