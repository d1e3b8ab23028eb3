// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire

/// Sends requests to Infobip, and judges their answers.
struct InfobipSender: Sendable {
    private let sender: LinkedSender
    private let application: InfobipApplication
    private let resolver: InfobipEndpointResolver
    private let userAgent: String

    init(_ exchange: Exchange, resolver: InfobipEndpointResolver, configuration: InfobipConfiguration) {
        self.sender = LinkedSender(
            exchange,
            timeout: configuration.requestTimeout,
            maximumInFlight: configuration.maximumInFlight
        )
        self.application = InfobipApplication(code: configuration.applicationCode)
        self.resolver = resolver
        self.userAgent = InfobipUserAgent.text(
            configuration.effectiveSystem,
            bundleID: configuration.bundleID,
            isPrivate: configuration.omitsDeviceInformation
        )
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
        var server = self.resolver.server
        let result = await self.sender.send(to: route.name, template: route.template) { _ throws(WireError) in
            server = self.resolver.server
            return try InfobipRequestBuilder(
                application: self.application,
                server: server,
                userAgent: self.userAgent
            ).request(
                for: route,
                body: body,
                from: caller,
                token: token,
                timeout: self.sender.timeout,
                responseLimit: InfobipLimits.answer.bytes
            )
        } reading: { response, milliseconds in
            let hasMoved = self.resolver.redirect(by: response.headers)
            let verdict = InfobipVerdict(response, to: route, now: milliseconds)
            return ((verdict, hasMoved), SignetError(verdict, of: route)?.code)
        } failing: { error in
            if error.code == .notConnected, self.resolver.server == server { self.resolver.reset() }
        }
        switch result {
        case .success((let verdict, let hasMoved)): return (.success(verdict), hasMoved)
        case .failure(let error): return (.failure(error), false)
        }
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
