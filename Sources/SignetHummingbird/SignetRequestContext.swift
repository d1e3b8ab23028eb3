// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
public import Hummingbird
public import Signet
public import SignetWebVisitors

/// A request context that carries the visitor.
///
/// ```
/// struct ShopContext: SignetRequestContext, RemoteAddressRequestContext {
///     var coreContext: CoreRequestContextStorage
///     var signet = SignetVisitor()
///     let remoteAddress: SocketAddress?
/// }
/// ```
///
/// Conform to `RemoteAddressRequestContext` too, so that events carry the address of who is connected.
public protocol SignetRequestContext: RequestContext {
    /// The visitor; set by ``SignetMiddleware``. Its first value is `SignetVisitor()`.
    var signet: SignetVisitor { get set }
}

/// The visitor of a request, as routes see it.
public struct SignetVisitor: Sendable {
    /// The result for this request; nil before ``SignetMiddleware``, and if the installation could not be opened.
    public let visit: WebVisit?
    /// True once a ``SignetMiddleware`` has seen the request; another one leaves it alone.
    public let isDecided: Bool

    /// Makes the visitor of a request that no ``SignetMiddleware`` has seen.
    public init() {
        (self.visit, self.isDecided) = (nil, false)
    }

    /// Makes the visitor of a request that was decided.
    ///
    /// - Parameter visit: The result; nil if opening failed.
    public init(decided visit: WebVisit?) {
        (self.visit, self.isDecided) = (visit, true)
    }

    /// The visitor's installation; nil for a bot, without consent, above the limit, and if it could not be opened.
    public var installation: Installation? {
        self.visit?.installation
    }

    /// Returns the installation, for routes that make no sense without one, such as a login.
    ///
    /// - Throws: `HTTPError` with status 403 if there is none.
    public func requireInstallation() throws(HTTPError) -> Installation {
        guard let installation = self.installation else {
            throw HTTPError(.forbidden, message: self.refusal)
        }
        return installation
    }

    private var refusal: String {
        if case .skipped(.bot) = self.visit?.outcome {
            return
                "The User-Agent of this request is that of a bot. Send that of a browser, or name it in appUserAgents."
        }
        return "This needs a browser that keeps cookies. Allow them and try again."
    }
}
#endif
