// SPDX-License-Identifier: Apache-2.0

import SignetLock
public import SignetTransport

public import struct FoundationEssentials.Date

/// An in-process emulator of mParticle's identity, alias and events interfaces, Iterable's visitor API, and Infobip's API
/// for people and installations, as documented.
///
/// Pass ``transport`` to the client under test, then query the emulator for the resulting state.
/// ``faults`` makes requests fail as networks and platforms do. One emulator is one workspace, held in memory.
/// It may be used from any number of tasks. It answers at once; only faults delay requests.
///
/// Comments in the code mark the decisions for which there is no documentation.
public final class Emulator: Sendable {
    /// The simulated workspace.
    public let configuration: EmulatorConfiguration
    /// The faults that are applied to requests through ``transport``.
    public let faults = FaultInjector()

    let clock: any Clock<Duration>
    private let wallClock: WallClock
    private let witness: (any RequestInterceptor)?
    private let credentials: Credentials
    private let state: Locked<PlatformState>
    private let iterableHandlers: Locked<[String: IterableRequestHandler]>
    private let infobipHandlers: Locked<[String: InfobipRequestHandler]>

    /// Makes a platform without users.
    ///
    /// - Parameters:
    ///   - configuration: The workspace to simulate.
    ///   - clock: The clock of delays; nil uses the machine's clock.
    ///   - wallClock: The clock of timestamps and due aliases; nil uses the machine's clock.
    public convenience init(
        _ configuration: EmulatorConfiguration = EmulatorConfiguration(),
        clock: (any Clock<Duration>)? = nil,
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        self.init(configuration, clock: clock, wallClock: wallClock, witness: nil)
    }

    /// Makes a platform without users, whose requests pass through an interceptor.
    package init(
        _ configuration: EmulatorConfiguration,
        clock: (any Clock<Duration>)? = nil,
        wallClock: (@Sendable () -> Date)?,
        witness: (any RequestInterceptor)?
    ) {
        self.witness = witness
        self.configuration = configuration
        self.clock = clock ?? SystemTime.clock()
        self.wallClock = WallClock(wallClock)
        self.credentials = Credentials(configuration)
        self.state = Locked(PlatformState(configuration))
        let limit = configuration.keptEvents
        let handlers = configuration.iterableProjects.map { ($0.apiKey, IterableRequestHandler($0, keeping: limit)) }
        self.iterableHandlers = Locked(Dictionary(handlers, uniquingKeysWith: { $1 }))
        let infobipHandlers = configuration.applications.map { ($0.code, InfobipRequestHandler($0, keeping: limit)) }
        self.infobipHandlers = Locked(Dictionary(infobipHandlers, uniquingKeysWith: { $1 }))
    }

    /// A transport that sends requests to this platform.
    public var transport: EmulatorTransport {
        EmulatorTransport(to: self)
    }

    /// Answers a request at once, without faults.
    ///
    /// - Parameter request: The request. Its host is ignored; its path may have the vendor's prefix `/identity`,
    ///   `/nativeevents`, `/webevents`, `/tags` or `/api`.
    /// - Returns: The platform's answer; 4xx for refused requests.
    public func handle(_ request: TransportRequest) async -> TransportResponse {
        self.answer(request)
    }

    /// Runs `body` on the platform's current state, under the lock.
    func withState<Result, Failure: Error>(
        _ body: (inout PlatformState, _ now: Int64) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = self.wallClock.milliseconds
        return try self.state.withLock { (state) throws(Failure) -> Result in
            state.advance(to: now)
            return try body(&state, now)
        }
    }

    /// Runs `body` on a project's current state; a project that is not configured is empty at each call.
    func withIterable<Result>(
        _ apiKey: String,
        _ body: (inout IterableRequestHandler, _ now: Int64) -> Result
    ) -> Result {
        let now = self.wallClock.milliseconds
        return self.iterableHandlers.withLock { handlers in
            guard var handler = handlers.removeValue(forKey: apiKey) else {
                var none = IterableRequestHandler(EmulatedIterableProject(apiKey: apiKey))
                return body(&none, now)
            }
            defer { handlers[apiKey] = handler }
            return body(&handler, now)
        }
    }

    /// Runs `body` on an application's current state; an application that is not configured is empty at each call.
    func withInfobip<Result>(_ code: String, _ body: (inout InfobipRequestHandler, _ now: Int64) -> Result) -> Result {
        let now = self.wallClock.milliseconds
        return self.infobipHandlers.withLock { handlers in
            guard var handler = handlers.removeValue(forKey: code) else {
                var none = InfobipRequestHandler(EmulatedInfobipApplication(code: code))
                return body(&none, now)
            }
            defer { handlers[code] = handler }
            return body(&handler, now)
        }
    }

    /// Answers a request at once, without faults; the synchronous form of `handle`.
    package func answer(_ request: TransportRequest) -> TransportResponse {
        guard let witness = self.witness else { return self.decide(request) }
        return witness.answer(request, of: self)
    }

    /// Returns a refusal in the format of the request's service; nothing is changed or counted.
    package func refusal(
        of request: TransportRequest,
        _ status: Int,
        _ code: String,
        _ message: String
    ) -> TransportResponse {
        Refusal(status, code, message)
            .response(to: RequestTarget(url: request.url)?.route(of: request))
    }

    /// Carries out a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isTrusted: True for a request that was accepted before. Its credentials are not checked, as they may be
    ///     missing, and its token may be one of an earlier secret.
    /// - Returns: The platform's answer.
    package func decide(_ request: TransportRequest, isTrusted: Bool = false) -> TransportResponse {
        let target = RequestTarget(url: request.url)
        guard let target, let route = target.route(of: request) else {
            let refusal = target?.notFound ?? .notFound("The emulator has no such path.")
            return refusal.response(to: nil)
        }
        self.count(route)
        do {
            return try self.answer(request, on: route, target: target, isTrusted: isTrusted)
        } catch {
            return error.response(to: route)
        }
    }

    func count(_ route: EmulatorRoute?) {
        guard let route else { return }
        self.state.withLock { $0.count(route) }
    }

    private func answer(
        _ request: TransportRequest,
        on route: EmulatorRoute,
        target: RequestTarget,
        isTrusted: Bool
    ) throws(Refusal) -> TransportResponse {
        try self.configuration.limits.checkMarks(request.headers)
        let method = route.isInfobip ? RequestTarget.method(of: request) : request.method
        guard method == route.method else {
            throw .methodNotAllowed("This path takes \(route.method.rawValue) only.")
        }
        if route.isInfobip {
            return try self.answerInfobip(request, on: route, target: target, isTrusted: isTrusted)
        }
        if route.isIterable {
            return try self.answerIterable(request, on: route, target: target, isTrusted: isTrusted)
        }
        if !isTrusted { try self.checkCredentials(of: request, on: route, target: target) }
        return switch route {
        case .identify, .login, .logout, .search: try self.resolve(request, by: route, target: target)
        case .modify: try self.modify(request, target: target)
        case .alias: try self.alias(request, target: target)
        case .events: try self.takeBatch(request, in: .server)
        case .bulkEvents: try self.takeBatches(request)
        case .webEvents: try self.takeBatch(request, in: .web)
        case .webAlias: try self.aliasFromWeb(request)
        case .webConfiguration: self.webConfiguration
        case .forwarding: TransportResponse(status: 202)
        default: throw .notFound("The emulator has no such path.")
        }
    }

    private func checkCredentials(
        of request: TransportRequest,
        on route: EmulatorRoute,
        target: RequestTarget
    ) throws(Refusal) {
        switch route {
        case .events, .bulkEvents: try self.credentials.checkEvents(request)
        case _ where route.isWeb: try self.credentials.checkWeb(target)
        default: try self.credentials.checkIdentity(request, target: target, now: self.wallClock.milliseconds)
        }
    }
}

/// An interceptor of all requests that reach the platform; it determines their order.
///
/// Requests that faults keep from arriving, or answer in the platform's place, are not passed to it.
package protocol RequestInterceptor: Sendable {
    /// Answers a request by passing it to the platform (``Emulator/decide(_:isTrusted:)``).
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - emulator: The platform that received it.
    /// - Returns: The answer to the client.
    func answer(_ request: TransportRequest, of emulator: Emulator) -> TransportResponse
}
