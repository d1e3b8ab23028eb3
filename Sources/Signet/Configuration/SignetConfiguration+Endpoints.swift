// SPDX-License-Identifier: Apache-2.0

import SignetModel
public import SignetTransport
import SignetWire

extension SignetConfiguration {
    /// The location of each endpoint: a host, an optional port and path prefix; nil for the vendor's host of the key's
    /// pod.
    ///
    /// The documented path with its version follows the prefix: `https://data.example/identity` requests
    /// `https://data.example/identity/v1/login`. Signatures cover the documented path alone, as in the vendor's SDKs,
    /// so a proxy that removes the prefix keeps them valid.
    ///
    /// There is no endpoint for a configuration of the vendor's SDKs: Signet does not fetch one.
    public struct Endpoints: Sendable, Hashable {
        /// identify, login, logout, modify and search: `/v1/login`, `/v1/{mpid}/modify` and so on follow.
        public var identity: ServerURL?
        /// Alias requests: `/v1/identity/{apiKey}/alias` follows.
        public var alias: ServerURL?
        /// Event batches: `/v2/events` or `/v2/bulkevents` follows.
        public var events: ServerURL?

        /// Makes the defaults: the vendor's hosts.
        public init() {}

        /// Makes the layout of your own host name that points at the vendor (CNAME), as its SDKs have it.
        ///
        /// ``identity`` gets the prefix `/identity` and ``alias`` the prefix `/nativeevents`. ``events`` stays at the
        /// vendor's host: that layout has no prefix for the Events API, only one for the protocol of the vendor's own
        /// SDKs. Set it if your proxy serves one.
        ///
        /// - Parameter customDomain: The host name; its own path goes before the prefixes.
        /// - Throws: `invalidConfiguration` if the prefixes make it longer than a URL may be.
        public init(customDomain: ServerURL) throws(SignetError) {
            do throws(ServerURL.ParsingError) {
                self.identity = try ServerURL(customDomain.text + "/identity")
                self.alias = try ServerURL(customDomain.text + "/nativeevents")
            } catch {
                throw SignetError(
                    .invalidConfiguration,
                    "The custom domain with an endpoint's path prefix is not a valid server URL: \(error.message)",
                    remedy: Remedy.settings,
                    cause: error
                )
            }
        }

        /// The endpoints that are set, with the names of their settings.
        var named: [(name: String, service: Service, url: ServerURL)] {
            let all: [(String, Service, ServerURL?)] = [
                ("identity", .identity, self.identity), ("alias", .alias, self.alias), ("events", .events, self.events),
            ]
            return all.compactMap { name, service, url in url.map { (name, service, $0) } }
        }
    }

    /// The problems of settings that exclude each other.
    var endpointProblems: [String] {
        guard self.baseURL != nil else { return [] }
        return self.endpoints.named.map { "baseURL and endpoints.\($0.name) are both set: keep one of them" }
    }

    /// The base URLs of single services, for the request builder.
    var serviceURLs: [Service: ServerURL] {
        Dictionary(uniqueKeysWithValues: self.endpoints.named.map { ($0.service, $0.url) })
    }
}
