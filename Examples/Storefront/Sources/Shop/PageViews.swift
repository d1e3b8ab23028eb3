// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Signet

/// Logs a page view for each page that was shown.
struct PageViews: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ShopContext,
        next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        if request.method == .get, response.status == .ok, let page = context.endpointPath {
            // Never throws and never waits: the event is with the kernel when it returns, the platform gets it later.
            context.installation?.logIfPossible(.screen(page, attributes: ["path": .string(request.uri.path)]))
        }
        return response
    }
}
