// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Signet

/// An installation for each browser: a cookie names it.
///
/// Put it around routes, not around the router: who asks for what is not there becomes no visitor. A real shop signs the
/// cookie and changes it at a login, so that nobody can plant one; this one takes any UUID.
struct VisitorCookie: RouterMiddleware {
    static let name = "visitor"

    let signet: SignetRuntime

    func handle(
        _ request: Request,
        context: ShopContext,
        next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        let known = request.cookies[Self.name].flatMap { UUID(uuidString: $0.value) }
        let id = (known ?? UUID()).uuidString
        var context = context
        // No proxy stands in front of this shop: forwarding headers are ignored.
        let fields = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        let visitor = InstallationContext(peer: context.peer, trusting: .none, fields: fields)
        // The runtime asks who somebody is only while it does not know. Nobody waits for the answer here.
        context.installation = try await self.signet.open(InstallationID(id), context: visitor)
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            // An answer too: without the cookie the next request would be another visitor's.
            response = try error.response(from: request, context: context)
        }
        if known == nil {
            response.setCookie(
                Cookie(name: Self.name, value: id, maxAge: 365 * 86_400, path: "/", httpOnly: true, sameSite: .lax)
            )
        }
        return response
    }
}
