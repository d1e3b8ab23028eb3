// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetWebVisitors

@Suite struct VisitorCookieTests {
    private static let keys = VisitorKeys.ofThisProcess()
    private static let visitor = VisitorID.random()
    private static let token = keys.token(for: visitor)

    private static func read(_ fields: [String]) -> VisitorCookieState {
        VisitorCookieState(fields: fields, name: "v", keys: Self.keys)
    }

    @Test func theAttributesAreThoseOfAHostOverHTTPS() {
        #expect(
            VisitorCookie.standard.setting("t")
                == "__Host-signet-visitor=t; Path=/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax"
        )
        #expect(
            VisitorCookie.development.removal
                == "signet-visitor=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
        )
    }

    @Test(
        arguments: [
            ("", 60, true, WebVisitorsError.Code.cookieName), ("a b", 60, true, .cookieName),
            ("a;b", 60, true, .cookieName), ("ä", 60, true, .cookieName),
            ("__Host-v", 60, false, .insecureName), ("__secure-v", 60, false, .insecureName),
            ("v", 0, true, .cookieLifetime), ("v", 400 * 86_400 + 1, true, .cookieLifetime),
        ]
    )
    func aCookieThatBrowsersRefuseIsAnError(name: String, seconds: Int, isSecure: Bool, code: WebVisitorsError.Code) {
        let error = #expect(throws: WebVisitorsError.self) {
            try VisitorCookie(name: name, lifetime: .seconds(seconds), isSecure: isSecure)
        }
        #expect(error?.code == code)
    }

    @Test func theCookieIsFoundAmongOthers() {
        let (name, valid) = ("v=\(Self.token)", VisitorCookieState.valid(Self.visitor))
        #expect(Self.read([name]) == valid)
        #expect(Self.read(["a=1; \(name) ;b=2"]) == valid)
        #expect(Self.read(["a=1", "xv=2;vv=3;v", "v; \(name)"]) == valid)
        #expect(Self.read(["\(name); \(name)"]) == valid)
        #expect(Self.read([]) == .none)
        #expect(Self.read(["a=1; V=\(Self.token); v="]) == .none)
    }

    @Test func whatIsNotOursIsTold() {
        let other = "v=\(Self.keys.token(for: .random()))"
        #expect(Self.read(["v=6F9619FF-8B86-D011-B42D-00C04FC964FF"]) == .forged)
        #expect(Self.read(["v=\"\(Self.token)\""]) == .forged)
        #expect(Self.read(["v=\(VisitorKeys.ofThisProcess().token(for: Self.visitor))"]) == .forged)
        #expect(Self.read(["v=\(Self.token); \(other)"]) == .duplicate)
        #expect(Self.read(["v=\(Self.token)", "v=x"]) == .duplicate)
        #expect(Self.read(["v=" + String(repeating: "a", count: 129)]) == .oversized)
        #expect(Self.read(["v=\(Self.token)", "a=" + String(repeating: "a", count: 32 * 1024)]) == .unread)
    }
}
