//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
public import SignetTransport

public import struct FoundationEssentials.Date

/// The platform, in this process: mParticle's identity, alias and events interfaces, Iterable's for visitors, Infobip's for
/// people and installations, as documented.
///
/// Give ``transport`` to whatever should talk to the platform; ask the emulator afterwards what the platform knows.
/// ``faults`` makes requests fail as networks and platforms do. One emulator is one workspace; all of it is in memory.
/// It may be used from any number of tasks. It answers at once; only faults waits.
///
/// Where the documentation is silent, a decision had to be taken; each stands at the code that takes it.
public final class Emulator: Sendable {
    /// The workspace that it plays.
    public let configuration: EmulatorConfiguration
    /// The faults that requests through ``transport`` meet.
    public let faults = FaultInjector()

    let clock: any Clock<Duration>
    private let wallClock: WallClock
    private let witness: (any RequestInterceptor)?
    private let credentials: Credentials
    private let state: Locked<PlatformState>
    private let iterableHandlers: Locked<[String: IterableRequestHandler]>
    private let infobipHandlers: Locked<[String: InfobipRequestHandler]>

    /// Makes a platform that knows nobody yet.
    ///
    /// - Parameters:
    ///   - configuration: The workspace to play.
    ///   - clock: What delays wait on; nil is the clock of the machine.
    ///   - wallClock: Where stamps come from and what makes aliases due; nil is the clock of the machine.
    public convenience init(
        _ configuration: EmulatorConfiguration = EmulatorConfiguration(),
        clock: (any Clock<Duration>)? = nil,
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        self.init(configuration, clock: clock, wallClock: wallClock, witness: nil)
    }

    /// Makes a platform that knows nobody yet, and whose requests somebody sees.
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

    /// The way to this platform.
    public var transport: EmulatorTransport {
        EmulatorTransport(to: self)
    }

    /// Answers a request at once, whatever the faults.
    ///
    /// - Parameter request: Any host will do; the path may have the vendor's prefix `/identity`,
    ///   `/nativeevents` or `/api`.
    /// - Returns: What the platform says, 4xx for requests it does not take.
    public func handle(_ request: TransportRequest) async -> TransportResponse {
        self.answer(request)
    }

    /// Runs `body` on what the platform knows now.
    func withState<Result, Failure: Error>(
        _ body: (inout PlatformState, _ now: Int64) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = self.wallClock.milliseconds
        return try self.state.withLock { (state) throws(Failure) -> Result in
            state.advance(to: now)
            return try body(&state, now)
        }
    }

    /// Runs `body` on what a project knows now; one that the configuration does not have is an empty one, each time.
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

    /// Runs `body` on what an application knows now; one that the configuration does not have is an empty one, each time.
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

    /// Answers a request at once, whatever the faults; the same as `handle`.
    package func answer(_ request: TransportRequest) -> TransportResponse {
        guard let witness = self.witness else { return self.decide(request) }
        return witness.answer(request, of: self, by: self.decide)
    }

    /// What a service says that refuses a request, in its form; nothing is changed or counted.
    package func refusal(
        of request: TransportRequest,
        _ status: Int,
        _ code: String,
        _ message: String
    ) -> TransportResponse {
        Refusal(status: status, code: code, message: message)
            .response(to: RequestTarget(url: request.url)?.route(of: request))
    }

    /// Whether a request is for the interfaces that want a key and a secret.
    package func takesCredentials(_ request: TransportRequest) -> Bool {
        guard let route = RequestTarget(url: request.url)?.route(of: request) else { return false }
        return !route.isIterable && !route.isInfobip
    }

    /// Takes tokens as they come, or checks them: for requests that are told again, which had been accepted.
    package func trustTokens(_ trusts: Bool) {
        self.iterableHandlers.withLock { handlers in
            for key in handlers.keys { handlers[key]?.trustsTokens = trusts }
        }
        self.infobipHandlers.withLock { handlers in
            for code in handlers.keys { handlers[code]?.trustsTokens = trusts }
        }
    }

    private func decide(_ request: TransportRequest) -> TransportResponse {
        let target = RequestTarget(url: request.url)
        guard let target, let route = target.route(of: request) else {
            return Refusal.notFound("The emulator has no such path.").response(to: nil)
        }
        self.count(route)
        do {
            return try self.answer(request, on: route, target: target)
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
        target: RequestTarget
    ) throws(Refusal) -> TransportResponse {
        try self.configuration.limits.checkMarks(request.headers)
        let method = route.isInfobip ? RequestTarget.method(of: request) : request.method
        guard method == route.method else {
            throw .methodNotAllowed("This path takes \(route.method.rawValue) only.")
        }
        switch route {
        case .events, .bulkEvents:
            try self.credentials.checkEvents(request)
        case .identify, .login, .logout, .search, .modify, .alias:
            try self.credentials.checkIdentity(request, path: target.path, now: self.wallClock.milliseconds)
        default:
            return route.isInfobip
                ? try self.answerInfobip(request, on: route, target: target)
                : try self.answerIterable(request, on: route, target: target)
        }
        return switch route {
        case .identify, .login, .logout, .search: try self.resolve(request, by: route, target: target)
        case .modify: try self.modify(request, target: target)
        case .alias: try self.alias(request, target: target)
        case .events: try self.takeBatch(request)
        case .bulkEvents: try self.takeBatches(request)
        default: throw .notFound("The emulator has no such path.")
        }
    }
}
