// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import HTTPTypes
import Hummingbird

/// The rule for requests of web pages to the services: which pages may call them, and the headers that let the page read
/// the answers (Fetch Standard, CORS protocol).
///
/// Only pages of this server and of allowed origins may. There is no wildcard and no permission for cookies. The live
/// page's interface is never open to other pages.
struct CrossOriginRule: Sendable {
    /// The page of a request.
    enum Page: Hashable {
        /// A page of this server, or no page.
        case own
        /// A page of an allowed origin, as the request spells it.
        case allowed(String)
        /// Another page, with the origin as the request spells it; nil if it has none.
        case refused(String?)
    }

    // Those of all services.
    private static let methods = "GET, POST, PATCH, DELETE"
    // Of mParticle's identity answers, and of refusals of all services.
    private static let exposed = "X-MP-Max-Age, Retry-After"
    private static let preflightSeconds = 600

    private let allowed: Set<WebOrigin>

    /// Makes a rule; texts that are no origins allow nothing.
    init(allowing origins: Set<String>) {
        self.allowed = Set(origins.compactMap(WebOrigin.init))
    }

    /// Returns the page that sent a request.
    func page(of request: Request, path: String) -> Page {
        let origin = request.headers[.origin]
        if !PageRequestHandler.answers(path), let origin, let parsed = WebOrigin(origin), self.allowed.contains(parsed)
        {
            return .allowed(origin)
        }
        return PageGuard.allows(request) ? .own : .refused(origin)
    }

    /// Returns the answer to a preflight of an allowed page; nil for any other request.
    static func preflight(_ request: Request, from origin: String) -> Response? {
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil else { return nil }
        var response = Response(status: .noContent)
        Self.open(&response, to: origin)
        response.headers[.accessControlAllowMethods] = Self.methods
        // Clients send headers of their own with each version, so all are allowed that are names.
        if let names = request.headers[.accessControlRequestHeaders], names.allSatisfy(Self.isOfNames) {
            response.headers[.accessControlAllowHeaders] = names
        }
        response.headers[.accessControlMaxAge] = String(Self.preflightSeconds)
        return response
    }

    /// Lets a page of an origin read an answer.
    static func open(_ response: inout Response, to origin: String) {
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = Self.exposed
        response.headers[.vary] = "Origin"
    }

    /// Returns the reason of a refusal, with the option that would allow the page.
    static func reason(refusing origin: String?) -> String {
        guard let origin = origin.flatMap(WebOrigin.init) else {
            return "The browser named no origin that could be allowed. Serve the page over HTTP, and call the services "
                + "by `fetch`; a script, an image or a link of another page is refused.\n"
        }
        return "Pages of \(origin) may not call the services. To allow them, add --allow-origin \(origin), "
            + "or set EmulatorConfiguration.allowedOrigins.\n"
    }

    private static func isOfNames(_ character: Character) -> Bool {
        guard character.isASCII else { return false }
        return character.isLetter || character.isNumber || "-_., ".contains(character)
    }
}
#endif
