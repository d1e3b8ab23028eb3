// SPDX-License-Identifier: Apache-2.0

import SignetWebVisitors
import Testing

@Suite struct VisitorRequestTests {
    typealias Case = (line: String, fields: [String], kind: VisitorRequest.Kind)

    private static func navigation(to destination: String, from site: String = "cross-site") -> [String] {
        ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: \(destination)"]
    }

    private static let cases: [Case] = [
        ("GET /", [], .page),
        ("GET /products/t-1", [], .page),
        ("POST /login", [], .page),
        ("HEAD /", [], .probe),
        ("OPTIONS /", [], .probe),
        ("GET /", ["Sec-Purpose: prefetch"], .prefetch),
        ("GET /", ["sec-purpose: prefetch;prerender"], .prefetch),
        ("GET /", ["Purpose: prefetch"], .prefetch),
        ("GET /", ["X-Moz: prefetch"], .prefetch),
        // Scripts may not set Sec-Purpose: Turbo, Next.js, htmx, Safari and apps use names of their own.
        ("GET /", ["X-Sec-Purpose: prefetch"], .prefetch),
        ("GET /", ["x-sec-purpose: prefetch;anonymous-client-ip"], .prefetch),
        ("GET /", ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: empty", "Next-Router-Prefetch: 1"], .prefetch),
        ("GET /", ["Next-Router-Prefetch: 2"], .prefetch),
        ("GET /", ["HX-Preloaded: true"], .prefetch),
        ("GET /", ["X-Purpose: preview"], .prefetch),
        ("GET /", ["Purpose: Preview"], .prefetch),
        ("GET /", ["X-Purpose: checkout"], .page),
        ("GET /", ["Next-Router-Prefetch: 0"], .page),
        ("GET /", ["HX-Preloaded: false"], .page),
        ("GET /", ["HX-Request: true", "Next-Url: /prefetch"], .page),
        // A link from a search engine: the cookie comes along if there is one.
        ("GET /", navigation(to: "document"), .page),
        // 3-D Secure, SAML: a form that another site posts.
        ("POST /3ds", navigation(to: "document"), .cookieWithheld),
        ("GET /", navigation(to: "iframe"), .cookieWithheld),
        // A link or a form inside a frame, whose window may be another site's.
        ("GET /next", navigation(to: "iframe", from: "same-origin"), .cookieWithheld),
        ("POST /next", navigation(to: "iframe", from: "same-origin"), .cookieWithheld),
        ("GET /next", navigation(to: "iframe", from: "same-site"), .cookieWithheld),
        ("GET /next", navigation(to: "frame", from: "same-origin"), .cookieWithheld),
        ("GET /next", navigation(to: "embed", from: "same-origin"), .cookieWithheld),
        ("GET /next", navigation(to: "object", from: "same-origin"), .cookieWithheld),
        ("GET /next", navigation(to: "fencedframe", from: "same-origin"), .cookieWithheld),
        ("GET /next", navigation(to: "document", from: "same-origin"), .page),
        ("GET /api", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"], .cookieWithheld),
        ("POST /login", ["Sec-Fetch-Site: same-origin", "Origin: https://other.example"], .page),
        ("POST /login", ["Sec-Fetch-Site: same-site"], .page),
        // Without Sec-Fetch fields the Origin tells.
        ("POST /3ds", ["Host: shop.example", "Origin: https://bank.example"], .cookieWithheld),
        ("POST /3ds", ["Host: shop.example", "Origin: null"], .cookieWithheld),
        ("POST /login", ["Host: shop.example:8443", "Origin: https://Shop.example:8443"], .page),
        // A proxy adds a port, or removes it: the default one says nothing.
        ("POST /login", ["Host: shop.example:443", "Origin: https://shop.example"], .page),
        ("POST /login", ["Host: shop.example", "Origin: https://shop.example:443"], .page),
        ("POST /login", ["Host: shop.example:80", "Origin: http://shop.example"], .page),
        ("POST /login", ["Host: shop.example:80", "Origin: https://shop.example"], .page),
        ("POST /login", ["Host: [2001:db8::443]:443", "Origin: https://[2001:db8::443]"], .page),
        ("POST /login", ["Host: shop.example:8443", "Origin: https://shop.example"], .cookieWithheld),
        ("POST /login", ["Host: shop.example", "Origin: https://shop.example:80"], .cookieWithheld),
        ("POST /login", ["Host: bank.example:443", "Origin: https://shop.example"], .cookieWithheld),
        ("POST /login", ["Host: shop.example", "Origin: https://"], .cookieWithheld),
        ("GET /", ["Host: shop.example", "Origin: https://bank.example"], .page),
        ("GET /favicon.ico", [], .asset),
        ("GET /app.3f9c.JS?v=1", [], .asset),
        ("GET /a.css/page", [], .page),
        ("GET /v1.2", [], .page),
        ("GET /picture", ["Sec-Fetch-Dest: image"], .asset),
        ("GET /download.zip", ["Sec-Fetch-Dest: document"], .page),
    ]

    @Test(arguments: cases) func aRequestHasItsKind(each: Case) {
        let line = each.line.split(separator: " ").map(String.init)
        let fields = each.fields.map { field in
            let parts = field.split(separator: ": ", maxSplits: 1).map(String.init)
            return (name: parts[0], value: parts[1])
        }
        let request = VisitorRequest(method: line[0], path: line[1], fields: fields)
        #expect(request.kind == each.kind, "\(each)")
    }
}
