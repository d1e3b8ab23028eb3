// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Signet
import SignetHummingbird
import SignetWebVisitors

/// Forgets the visitor of this browser: what they did is delivered, then their installation and their cookie go.
struct ForgetRoute {
    let cookie: VisitorCookie

    func add(to router: some RouterMethods<ShopContext>) {
        router.post("/forget") { _, context in
            let visitor = try context.signet.requireInstallation()
            do throws(SignetError) {
                try await visitor.remove(within: .seconds(5))
            } catch {
                // Installation and cookie stay, so that they can try again.
                throw HTTPError(.serviceUnavailable, message: "Not everything is delivered: \(error.code). Try again.")
            }
            var response = Response.redirect(to: "/", type: .normal)
            response.headers[.setCookie] = self.cookie.removal
            return response
        }
    }
}
