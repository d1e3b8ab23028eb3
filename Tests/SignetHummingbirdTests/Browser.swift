// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
import HTTPTypes
import Hummingbird

/// Sends requests straight to a router, and keeps the cookie that it gets.
struct Browser {
    private let responder: any HTTPResponder<VisitorContext>
    private let source: VisitorContext.Source
    private(set) var cookie: String?
    /// The last `Set-Cookie`.
    private(set) var setCookie: String?

    init(_ router: Router<VisitorContext>, source: VisitorContext.Source = VisitorContext.Source()) {
        self.responder = router.buildResponder()
        self.source = source
    }

    @discardableResult
    mutating func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:]
    ) async throws -> Response {
        var head = HTTPRequest(method: method, scheme: "https", authority: "shop.example", path: path)
        head.headerFields = fields
        head.headerFields[.userAgent] = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"
        if let cookie { head.headerFields[.cookie] = cookie }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let response = try await self.responder.respond(
            to: request,
            context: VisitorContext(source: self.source)
        )
        self.setCookie = response.headers[.setCookie]
        if let setCookie { self.cookie = String(setCookie.prefix { $0 != ";" }) }
        return response
    }
}
#endif
