//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport
import SignetWire

/// Sends requests to the profile service, so many at once, and says what their answers mean.
actor ProfileSender {
    private let exchange: Exchange
    private let application: ProfileApplication
    private let desk: ProfileServerDesk
    private let userAgent: String
    private let timeout: Duration
    private let turnstile: Turnstile

    /// The most bytes of an answer that are read.
    static let responseLimit = 1 << 22

    init(_ exchange: Exchange, desk: ProfileServerDesk, configuration: ProfileConfiguration) {
        self.exchange = exchange
        self.application = ProfileApplication(code: configuration.applicationCode)
        self.desk = desk
        self.userAgent = ProfileUserAgent.text(
            configuration.effectiveSystem,
            bundleID: configuration.bundleID,
            isPrivate: configuration.keepsSystemPrivate
        )
        self.timeout = configuration.requestTimeout
        self.turnstile = Turnstile(places: configuration.maximumInFlight)
    }

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - route: What to ask.
    ///   - body: The JSON; empty for none.
    ///   - caller: Who asks.
    ///   - token: A token in the place of the code.
    /// - Returns: What the answer means, or why there is none; and whether the service has named another address.
    func send(
        _ route: ProfileRoute,
        _ body: [UInt8],
        from caller: ProfileCaller,
        token: Secret?
    ) async -> (Result<ProfileVerdict, SignetError>, hasMoved: Bool) {
        await self.turnstile.enter()
        defer { self.turnstile.leave() }
        let request: TransportRequest
        let server = self.desk.server
        do throws(WireError) {
            request = try ProfileRequestBuilder(
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
            hasMoved = self.desk.redirect(by: response.headers)
            let verdict = ProfileVerdict(response, to: route, now: self.exchange.time.milliseconds)
            return (verdict, SignetError(verdict, of: route)?.code)
        }
        if case .failure(let error) = result, error.code == .notConnected, self.desk.server == server {
            self.desk.reset()
        }
        return (result, hasMoved)
    }
}

extension ProfileConfiguration {
    /// What installations run on, the version of this library among it.
    var effectiveSystem: InstallationSystem {
        var system = self.system
        system.sdkVersion = system.sdkVersion ?? ClientInfo.signet.version
        return system
    }
}
