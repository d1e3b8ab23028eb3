// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire

/// Sends requests to Infobip, with a limit on those in flight, and judges their answers.
actor InfobipSender {
    private let exchange: Exchange
    private let application: InfobipApplication
    private let resolver: InfobipEndpointResolver
    private let userAgent: String
    private let timeout: Duration
    private let semaphore: AsyncSemaphore

    /// The most bytes of an answer that are read.
    static let responseLimit = 1 << 22

    init(_ exchange: Exchange, resolver: InfobipEndpointResolver, configuration: InfobipConfiguration) {
        self.exchange = exchange
        self.application = InfobipApplication(code: configuration.applicationCode)
        self.resolver = resolver
        self.userAgent = InfobipUserAgent.text(
            configuration.effectiveSystem,
            bundleID: configuration.bundleID,
            isPrivate: configuration.omitsDeviceInformation
        )
        self.timeout = configuration.requestTimeout
        self.semaphore = AsyncSemaphore(places: configuration.maximumInFlight)
    }

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - route: The route to call.
    ///   - body: The JSON; empty for none.
    ///   - caller: The installation that sends it.
    ///   - token: A token instead of the application code.
    /// - Returns: The verdict on the answer, or an error; and true if the service has named another address.
    func send(
        _ route: InfobipRoute,
        _ body: [UInt8],
        from caller: InfobipCaller,
        token: Secret?
    ) async -> (Result<InfobipVerdict, SignetError>, hasMoved: Bool) {
        await self.semaphore.acquire()
        defer { self.semaphore.release() }
        let request: TransportRequest
        let server = self.resolver.server
        do throws(WireError) {
            request = try InfobipRequestBuilder(
                application: self.application,
                server: server,
                userAgent: self.userAgent
            ).request(
                for: route,
                body: body,
                from: caller,
                token: token,
                timeout: self.timeout,
                responseLimit: Self.responseLimit
            )
        } catch {
            return (.failure(SignetError(.invalidConfiguration, error.message, cause: error)), false)
        }
        var hasMoved = false
        let result = await self.exchange.perform(request, to: route.name, within: self.timeout) { response in
            hasMoved = self.resolver.redirect(by: response.headers)
            let verdict = InfobipVerdict(response, to: route, now: self.exchange.time.milliseconds)
            return (verdict, SignetError(verdict, of: route)?.code)
        }
        if case .failure(let error) = result, error.code == .notConnected, self.resolver.server == server {
            self.resolver.reset()
        }
        return (result, hasMoved)
    }
}

extension InfobipConfiguration {
    /// The system of the installations, with the version of this library.
    var effectiveSystem: InfobipInstallationSystem {
        var system = self.system
        system.sdkVersion = system.sdkVersion ?? ClientInfo.signet.version
        return system
    }
}
