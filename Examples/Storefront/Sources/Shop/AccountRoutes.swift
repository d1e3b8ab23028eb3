// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Logging
import Signet
import SignetHummingbird

/// Logging in and out: identity calls are awaited, and their errors become answers of ours.
struct AccountRoutes {
    /// The form of a login; a real shop checks a password before it says who somebody is.
    struct Login: Decodable {
        let customer: String
    }

    func add(to router: some RouterMethods<ShopContext>) {
        router.post("/login") { request, context in
            let form = try await request.decode(as: Login.self, context: context)
            let visitor = try context.signet.requireInstallation()
            return try await self.answer {
                let result = try await visitor.login([.customerID: form.customer])
                // What a guest did is the customer's, too; another customer's is not.
                if let guest = result.previousGuest {
                    await self.count(guest, for: result.user, on: visitor, logger: context.logger)
                }
            }
        }
        router.post("/logout") { _, context in
            let visitor = try context.signet.requireInstallation()
            return try await self.answer { _ = try await visitor.logout() }
        }
    }

    // Kept on disk, and sent until the platform has answered. The login took effect, whatever becomes of this.
    private func count(_ guest: User, for customer: User, on visitor: Installation, logger: Logger) async {
        do throws(SignetError) {
            try await visitor.alias(AliasRequest(source: guest, destination: customer))
        } catch {
            logger.error(
                "The events of a guest could not be attributed to the customer.",
                metadata: ["error": "\(error.code)"]
            )
        }
    }

    private func answer(_ call: () async throws -> Void) async throws -> Response {
        do {
            try await call()
            return Response.redirect(to: "/", type: .normal)
        } catch let error as SignetError {
            switch error.code {
            case .requestInProgress:
                // One identity call at a time for each visitor: the other one is still under way.
                throw HTTPError(.conflict, message: "Another login or logout is in progress. Try again.")
            case .invalidArgument:
                throw HTTPError(.badRequest, message: error.message)
            default:
                throw HTTPError(.badGateway, message: "The platform did not accept the request: \(error.code).")
            }
        }
    }
}
