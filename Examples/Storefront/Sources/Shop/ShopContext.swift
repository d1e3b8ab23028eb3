// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import Signet
import SignetHummingbird

/// What a request carries on its way through the shop.
struct ShopContext: SignetRequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    /// The visitor in front of us; decided once `SignetMiddleware` has seen the request.
    var signet = SignetVisitor()
    /// The address of who is connected.
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        self.remoteAddress = source.channel.remoteAddress
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
}
