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
    private let transport: any Transport
    private let application: ProfileApplication
    private let desk: ProfileServerDesk
    private let userAgent: String
    private let time: TimeSource
    private let observer: any SignetObserver
    private let statistics: StatisticsRecorder
    private let timeout: Duration
    private var free: Int
    private var waiting = FIFO<CheckedContinuation<Void, Never>>()

    /// The most bytes of an answer that are read.
    static let responseLimit = 1 << 22

    init(
        transport: any Transport,
        desk: ProfileServerDesk,
        time: TimeSource,
        observer: any SignetObserver,
        statistics: StatisticsRecorder,
        configuration: ProfileConfiguration
    ) {
        self.transport = transport
        self.application = ProfileApplication(code: configuration.applicationCode)
        self.desk = desk
        self.userAgent = ProfileUserAgent.text(
            configuration.effectiveSystem,
            bundleID: configuration.bundleID,
            isPrivate: configuration.keepsSystemPrivate
        )
        self.time = time
        self.observer = observer
        self.statistics = statistics
        self.timeout = configuration.requestTimeout
        self.free = configuration.maximumInFlight
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
        await self.enter()
        defer { self.leave() }
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
        let start = self.time.uptime
        self.statistics.requestSent(route.name)
        let answer = await self.transport.exchange(request, within: self.timeout, on: self.time)
        var status: Int?
        var failure: SignetError.Code?
        var hasMoved = false
        let result: Result<ProfileVerdict, SignetError>
        switch answer {
        case .success(let response):
            status = response.status
            hasMoved = self.desk.redirect(by: response.headers)
            let verdict = ProfileVerdict(response, to: route, now: self.time.milliseconds)
            failure = SignetError(verdict, of: route)?.code
            result = .success(verdict)
        case .failure(let error):
            failure = error.code
            if error.code == .notConnected, self.desk.server == server { self.desk.reset() }
            result = .failure(error)
        }
        self.observer.requestFinished(
            RequestReport(endpoint: route.name, status: status, failure: failure, duration: self.time.uptime - start)
        )
        return (result, hasMoved)
    }

    /// A cancelled task waits all the same: those before it end by their own cancellation.
    private func enter() async {
        guard self.free == 0 else {
            self.free -= 1
            return
        }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    private func leave() {
        if let next = self.waiting.popFirst() { next.resume() } else { self.free += 1 }
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
