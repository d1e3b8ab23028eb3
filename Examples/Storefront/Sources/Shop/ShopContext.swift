// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Signet

/// What a request carries on its way through the shop.
struct ShopContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The installation of the browser in front of us; there once ``VisitorCookie`` has seen the request.
    var installation: Installation?
    /// The address of who is connected.
    let peer: String?

    init(source: ApplicationRequestContextSource) {
        self.peer = source.channel.remoteAddress?.ipAddress
        self.coreContext = CoreRequestContextStorage(source: source)
    }

    /// Forms, not JSON.
    var requestDecoder: URLEncodedFormDecoder {
        URLEncodedFormDecoder()
    }

    /// No form of this shop is longer.
    var maxUploadSize: Int {
        4096
    }

    /// The installation, for routes, which come after the middleware.
    func visitor() throws -> Installation {
        guard let installation else { throw HTTPError(.internalServerError) }
        return installation
    }
}
