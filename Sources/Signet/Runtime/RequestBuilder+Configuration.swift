// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire

extension RequestBuilder {
    /// Makes a builder from a configuration.
    init(_ configuration: SignetConfiguration) throws(SignetError) {
        let credentials = WorkspaceCredentials(apiKey: configuration.apiKey, secret: configuration.secret)
        do throws(WireError) {
            try credentials.check(for: configuration.wireAuthentication)
        } catch {
            throw SignetError(.invalidConfiguration, error.message, remedy: Remedy.settings, cause: error)
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

extension NetworkDispatcher {
    /// Makes the dispatcher of a runtime.
    init(
        _ configuration: SignetConfiguration,
        _ transport: any Transport,
        _ observer: any SignetObserver,
        _ statistics: StatisticsRecorder
    ) throws(SignetError) {
        self.init(
            transport: transport,
            builder: try RequestBuilder(configuration),
            time: configuration.time,
            observer: observer,
            statistics: statistics,
            limits: [
                .identity: configuration.identity.maximumInFlight,
                .events: configuration.events.maximumInFlight,
                .alias: 1,
            ]
        )
    }
}
