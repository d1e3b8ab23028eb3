// SPDX-License-Identifier: Apache-2.0

import SignetWire

extension RequestBuilder {
    /// Makes a builder from a configuration.
    init(_ configuration: SignetConfiguration) throws(SignetError) {
        let credentials = WorkspaceCredentials(apiKey: configuration.apiKey, secret: configuration.secret)
        do throws(WireError) {
            try credentials.check(for: configuration.wireAuthentication)
        } catch {
            throw SignetError(.invalidConfiguration, error.message, cause: error)
        }
        self.init(
            credentials: credentials,
            authentication: configuration.wireAuthentication,
            hosts: ServiceHosts(
                apiKey: configuration.apiKey,
                customBaseURL: configuration.baseURL,
                overrides: configuration.serviceURLs
            ),
            encoder: configuration.events.compression.encoder
        )
    }
}
