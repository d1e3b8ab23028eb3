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

/// Sends requests and says in one word what came of them. The only part that holds the transport, the keys and the hosts.
actor NetworkDispatcher {
    private let exchange: Exchange
    private let builder: RequestBuilder
    private let time: TimeSource
    private var machine: DispatchStateMachine
    private var turns: [Int: Promise<Void>] = [:]

    /// The most bytes of an answer that are read.
    static let responseLimit = 256 * 1024

    init(
        transport: any Transport,
        builder: RequestBuilder,
        time: TimeSource,
        observer: any SignetObserver,
        statistics: StatisticsRecorder,
        limits: [DispatchStateMachine.Lane: Int]
    ) {
        self.exchange = Exchange(transport: transport, time: time, observer: observer, statistics: statistics)
        self.builder = builder
        self.time = time
        self.machine = DispatchStateMachine(limits: limits)
    }

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - route: Where to.
    ///   - installation: Whose request it is, so that a pause that it is asked for is its own; nil where that is nobody's alone.
    ///   - body: The JSON.
    ///   - timeout: How long it may wait for a place, and how long the exchange may take from then on.
    /// - Returns: The body of a successful answer, or why there is none.
    func perform(
        _ route: Route,
        of installation: InstallationID? = nil,
        body: [UInt8],
        timeout: Duration
    ) async -> Result<[UInt8], SignetError> {
        await self.deliver(route, of: installation, body: body, timeout: timeout).result
    }

    /// Sends one request, once, and waits for its answer and what that says of the platform's limits.
    func deliver(
        _ route: Route,
        of installation: InstallationID? = nil,
        body: [UInt8],
        timeout: Duration
    ) async -> DeliveryAnswer {
        switch self.machine.admit(route, of: installation, now: self.time.uptime) {
        case .send:
            break
        case .throttled(let remaining):
            return DeliveryAnswer(.failure(.throttled(route, remaining: remaining)), nil)
        case .wait(let number):
            guard await self.turn(of: number, route, within: timeout) else {
                return DeliveryAnswer(.failure(Task.isCancelled ? .cancelled : .noTurn(within: timeout)), nil)
            }
        }
        let answer =
            if let remaining = self.machine.pause(of: route, for: installation, now: self.time.uptime) {
                DeliveryAnswer(.failure(.throttled(route, remaining: remaining)), nil)
            } else {
                await self.send(route, of: installation, body: body, timeout: timeout)
            }
        if let next = self.machine.finished(route) { self.turns.removeValue(forKey: next)?.resolve(()) }
        return answer
    }

    /// Waits until a number is called.
    ///
    /// - Returns: Whether it was; false when the time was over or the task was cancelled first.
    private func turn(of number: Int, _ route: Route, within limit: Duration) async -> Bool {
        let promise = Promise<Void>()
        self.turns[number] = promise
        if await withTimeLimit(limit, on: self.time, { await promise.value() }) != nil { return true }
        // Called and cancelled at once: the turn is used, and the exchange ends by its own cancellation.
        guard self.machine.leave(number, route) else { return true }
        self.turns[number] = nil
        return false
    }

    private func send(
        _ route: Route,
        of installation: InstallationID?,
        body: [UInt8],
        timeout: Duration
    ) async -> DeliveryAnswer {
        let request: TransportRequest
        do {
            request = try self.builder.request(
                for: route,
                body: body,
                at: self.time.milliseconds,
                timeout: timeout,
                responseLimit: Self.responseLimit
            )
        } catch {
            return DeliveryAnswer(.failure(SignetError(.invalidConfiguration, error.message, cause: error)), nil)
        }
        let answer = await self.exchange.perform(request, to: route.name, within: timeout) { response in
            let result = self.interpret(response, of: route, installation)
            return (DeliveryAnswer(result, response.headers), result.failure?.code)
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let error): return DeliveryAnswer(.failure(error), nil)
        }
    }

    /// The one place where a status becomes a meaning.
    private func interpret(
        _ response: TransportResponse,
        of route: Route,
        _ installation: InstallationID?
    ) -> Result<[UInt8], SignetError> {
        // Events that were taken are taken, whatever is said beside.
        let isLong = response.body.count > Self.responseLimit
        if isLong, DispatchStateMachine.Lane(route) == .events, (200...299).contains(response.status) {
            return .success([])
        }
        guard !isLong else {
            return .failure(SignetError(.unexpectedAnswer, "The answer of \(route.name) is longer than allowed."))
        }
        let verdict = Verdict(response, now: self.time.milliseconds)
        switch verdict {
        case .throttled(_, let delay?):
            let isAccelerating = response.headers.isAboutAcceleration
            self.pause(route, of: installation, for: delay, isAccelerating: isAccelerating)
        case .failed(503, let delay?):
            self.pause(route, of: installation, for: delay, isAccelerating: false)
        default:
            break
        }
        guard let error = SignetError(verdict, of: route, body: response.body) else { return .success(response.body) }
        // "Not found" is an answer to a search; the page of something else that knows no such path is none.
        if route == .search, error.httpStatus == 404, !response.body.isEmpty, error.errors.isEmpty {
            return .failure(SignetError(.unexpectedAnswer, error.message, httpStatus: 404))
        }
        return .failure(error)
    }

    private func pause(
        _ route: Route,
        of installation: InstallationID?,
        for delay: Duration,
        isAccelerating: Bool
    ) {
        let now = self.time.uptime
        self.machine.throttled(route, of: installation, until: now + delay, isAccelerating: isAccelerating, now: now)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
