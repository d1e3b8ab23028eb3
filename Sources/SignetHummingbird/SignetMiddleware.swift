// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
public import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import Signet
import SignetLock
public import SignetWebVisitors

/// Gives each visitor of a Hummingbird server an installation, by a signed cookie, and logs the screens that they see.
///
/// ```
/// let visitors = WebVisitors(signet, WebVisitorsConfiguration(keys: keys))
/// let pages = router.group().add(middleware: SignetMiddleware(visitors))
/// pages.get("/products/:id") { _, context in
///     context.signet.installation?.logIfPossible(.custom("looked"))
///     return page
/// }
/// ```
///
/// Put it around routes, not around the router, so that a request for what is not there makes no visitor; and before
/// middlewares that need the visitor. A second one around the same route does nothing.
///
/// If an installation cannot be opened, such as after a disk has failed, the request goes on without one, and the error is
/// logged: the first one, then at most one every 10 s, with the number since the last line.
public struct SignetMiddleware<Context: SignetRequestContext>: RouterMiddleware {
    private let visitors: WebVisitors
    private let screens: SignetScreens
    private let failures = Locked(FailureLines())

    /// Makes the middleware.
    ///
    /// - Parameters:
    ///   - visitors: The visitors of the process.
    ///   - screens: Chooses the answers that are logged as screen views.
    public init(_ visitors: WebVisitors, screens: SignetScreens = .routeTemplates) {
        self.visitors = visitors
        self.screens = screens
    }

    /// Opens the visitor's installation, lets the route answer, sets the cookie and logs the screen.
    @concurrent public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard !context.signet.isDecided else { return try await next(request, context) }
        var context = context
        let visit = await self.visit(of: request, context)
        context.signet = SignetVisitor(decided: visit)
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            // An error is an answer too: without its cookie, the visitor of the next request would be another one.
            guard let field = visit?.setCookie else { throw error }
            throw CookieError(base: error, setCookie: field)
        }
        if let field = visit?.setCookie { response.setVisitorCookie(field) }
        if let visit, let installation = visit.installation, visit.kind != .prefetch,
            let event = self.screens.event(of: request, response, template: context.endpointPath)
        {
            installation.logIfPossible(event)
        }
        return response
    }

    @concurrent private func visit(of request: Request, _ context: Context) async -> WebVisit? {
        var fields = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        // Hummingbird has taken the Host field out of the others.
        if let authority = request.head.authority { fields.append((name: "Host", value: authority)) }
        let peer = (context as? any RemoteAddressRequestContext)?.remoteAddress?.ipAddress
        do throws(SignetError) {
            return try await self.visitors.visit(
                VisitorRequest(
                    method: request.method.rawValue,
                    path: request.uri.path,
                    peer: peer,
                    fields: fields
                )
            )
        } catch {
            let now = self.visitors.uptime()
            if let count = self.failures.withLock({ $0.failed(at: now) }) {
                context.logger.error(
                    "The installations of visitors could not be opened. Their requests go on without them.",
                    metadata: ["signet.error": "\(error.code)", "signet.count": "\(count)"]
                )
            }
            return nil
        }
    }
}

/// The error of a route, with the cookie of a visitor who is new.
///
/// ``SignetMiddleware`` throws it in place of the error. A middleware that makes error pages goes inside of it, and sees the
/// error itself; one outside of it finds the error in ``base``.
public struct CookieError: HTTPResponseError {
    /// The error of the route.
    public let base: any Error
    let setCookie: String

    /// The status of the answer; 500 for an error that does not say one.
    public var status: HTTPResponse.Status {
        (self.base as? any HTTPResponseError)?.status ?? .internalServerError
    }

    /// Makes the answer of the error, with the cookie.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request.
    /// - Returns: The answer.
    /// - Throws: What the error of the route throws while it makes its answer.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        var response: Response
        if let base = self.base as? any HTTPResponseError {
            response = try base.response(from: request, context: context)
        } else {
            // Hummingbird answers so to an error that is no answer, and says no more of it to the client.
            context.logger.debug("Unrecognised error", metadata: ["error": "\(self.base)"])
            response = Response(status: self.status)
        }
        response.setVisitorCookie(self.setCookie)
        return response
    }
}

extension Response {
    /// Adds a `Set-Cookie`, and keeps shared caches from giving it to others (RFC 9111, section 7.3).
    ///
    /// Fields that such caches follow in place of `Cache-Control` go. Other directives stay: without its `no-cache`, a browser could
    /// show a page that is out of date.
    mutating func setVisitorCookie(_ field: String) {
        for name in Set(self.headers.map(\.name)) where WebVisit.overridesCacheControl(name.rawName) {
            self.headers[name] = nil
        }
        self.headers.append(HTTPField(name: .setCookie, value: field))
        let directives: [String] = self.headers[values: .cacheControl].joined(separator: ",").split(separator: ",")
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        let names = directives.map { $0.lowercased() }
        guard !names.contains("private"), !names.contains("no-store") else { return }
        let others = zip(directives, names).filter { $1 != "public" && !$1.hasPrefix("s-maxage") }.map { $0.0 }
        self.headers[.cacheControl] = (["private"] + others).joined(separator: ", ")
    }
}
#endif
