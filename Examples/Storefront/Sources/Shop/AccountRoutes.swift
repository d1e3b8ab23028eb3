// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Logging
import Signet
import SignetHummingbird

/// Logging in and out: identity calls are awaited, and SignetHummingbird makes answers of their errors (409, 502, 503, 504).
struct AccountRoutes {
    /// The form of a login; a real shop checks a password before it says who somebody is.
    struct Login: Decodable {
        let customer: String
    }

    func add(to router: some RouterMethods<ShopContext>) {
        router.post("/login") { request, context in
            let form = try await request.decode(as: Login.self, context: context)
            let visitor = try context.signet.requireInstallation()
            let result = try await visitor.login([.customerID: form.customer])
            // What a guest did is the customer's, too; another customer's is not.
            if let guest = result.previousGuest {
                await self.count(guest, for: result.user, on: visitor, logger: context.logger)
            }
            return Response.redirect(to: "/", type: .normal)
        }
        router.post("/logout") { _, context in
            _ = try await context.signet.requireInstallation().logout()
            return Response.redirect(to: "/", type: .normal)
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
}
