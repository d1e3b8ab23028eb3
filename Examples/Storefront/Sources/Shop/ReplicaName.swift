// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// Says in each answer which replica has made it.
struct ReplicaName: RouterMiddleware {
    let name: String

    func handle(
        _ request: Request,
        context: ShopContext,
        next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if let field = HTTPField.Name("X-Replica") { response.headers[field] = self.name }
        return response
    }
}
