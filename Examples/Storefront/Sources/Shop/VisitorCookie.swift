//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import Hummingbird
import Signet

/// An installation for each browser: a cookie names it.
struct VisitorCookie: RouterMiddleware {
    static let name = "visitor"

    let signet: SignetRuntime

    func handle(
        _ request: Request,
        context: ShopContext,
        next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        // Only what we gave out is taken back; anything else is a new visitor.
        let known = request.cookies[Self.name].flatMap { UUID(uuidString: $0.value) }
        let id = (known ?? UUID()).uuidString
        var context = context
        // A server asks who somebody is only when it does not know yet. Nobody waits for the answer here.
        context.installation = try self.signet.open(InstallationID(id), identify: .ifUnknown)
        var response = try await next(request, context)
        if known == nil {
            response.setCookie(
                Cookie(name: Self.name, value: id, maxAge: 365 * 86_400, path: "/", httpOnly: true, sameSite: .lax)
            )
        }
        return response
    }
}
