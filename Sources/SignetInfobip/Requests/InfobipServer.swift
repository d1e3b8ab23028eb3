// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The address of Infobip for an application: the configured one, or the one that the service has named since.
struct InfobipServer: Sendable, Hashable {
    /// The vendor's domain; addresses that the service names must lie in it.
    private static let domain = "infobip.com"
    private static let productionText = "https://mobile.infobip.com"

    /// The configured address; nil for the documented one.
    private let configured: ServerURL?
    /// The address that the service has named.
    private let announced: ServerURL?

    private init(configured: ServerURL?, announced: ServerURL?) {
        self.configured = configured
        self.announced = announced
    }

    /// Makes a server with an address of your own, such as an emulator.
    init(_ url: ServerURL) {
        self.init(configured: url, announced: nil)
    }

    /// The documented address.
    static let production = InfobipServer(configured: nil, announced: nil)

    /// True if the service may be asked for its address: only if no address of your own is configured.
    var looksUp: Bool {
        self.configured == nil
    }

    /// The address that the service has named, to be persisted; nil if there is none.
    var announcedURL: String? {
        self.announced?.text
    }

    /// This server as it was configured, for use when the named host cannot be found.
    var reset: InfobipServer {
        InfobipServer(configured: self.configured, announced: nil)
    }

    /// The absolute URL of a route, with its query.
    ///
    /// The URL of ``InfobipRoute/baseURL`` never follows a redirection.
    func url(for route: InfobipRoute) -> String {
        let base = route == .baseURL ? self.configured?.text : (self.announced ?? self.configured)?.text
        let items = route.query.map { $0.name + ($0.value ? "=1" : "=0") }
        return (base ?? Self.productionText) + route.path + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    /// The server that an answer names in `New-Base-URL`.
    ///
    /// - Parameter headers: The headers of the answer.
    /// - Returns: Nil if there is no such header, if it names this server, or if it is not acceptable.
    func redirected(by headers: HTTPHeaders) -> InfobipServer? {
        let values = headers.values(of: "New-Base-URL")
        return values.count == 1 ? self.redirected(to: values[0]) : nil
    }

    /// The server of an address that the service names.
    ///
    /// Requests send the application code there. So only `https` is accepted, and only the configured host or one of
    /// the vendor's domain. An application with a server of its own stays on its host.
    ///
    /// - Parameter text: An address, with or without one slash at the end.
    /// - Returns: Nil if it is this server already, or if it is not acceptable.
    func redirected(to text: String) -> InfobipServer? {
        let url: ServerURL
        do throws(ServerURL.ParsingError) {
            url = try ServerURL(text)
        } catch {
            return nil
        }
        guard url.text.hasPrefix("https://") else { return nil }
        if let configured {
            guard url.host == configured.host, url.port == configured.port else { return nil }
        } else {
            guard url.host == Self.domain || url.host.hasSuffix("." + Self.domain), url.port == nil else { return nil }
        }
        let isConfigured = url.text == (self.configured?.text ?? Self.productionText)
        let server = InfobipServer(configured: self.configured, announced: isConfigured ? nil : url)
        return server == self ? nil : server
    }
}
