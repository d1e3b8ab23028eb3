// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

/// Sends requests to the platform and interprets the answers.
///
/// It is the only part that holds the transport, the keys and the hosts.
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
    ///   - route: The endpoint.
    ///   - installation: The installation that sends the request, so that a pause applies to it alone; nil if the
    ///     request belongs to no single installation.
    ///   - body: The JSON.
    ///   - timeout: The most time the request may wait for its turn, and the most time of the exchange after that.
    ///   - mayBegin: Asked directly before the exchange; false if the wait was too long.
    /// - Returns: The body of a successful answer, or the error.
    func perform(
        _ route: Route,
        of installation: InstallationID? = nil,
        body: [UInt8],
        timeout: Duration,
        mayBegin: @escaping @Sendable () -> Bool = { true }
    ) async -> Result<[UInt8], SignetError> {
        await self.deliver(route, of: installation, body: body, timeout: timeout, mayBegin: mayBegin).result
    }

    /// Sends one request, once, and returns its answer with the platform's limits.
    func deliver(
        _ route: Route,
        of installation: InstallationID? = nil,
        body: [UInt8],
        timeout: Duration,
        mayBegin: @escaping @Sendable () -> Bool = { true }
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
            } else if !mayBegin() {
                DeliveryAnswer(.failure(.noTurn(within: timeout)), nil)
            } else {
                await self.send(route, of: installation, body: body, timeout: timeout, mayBegin)
            }
        if let next = self.machine.finished(route) { self.turns.removeValue(forKey: next)?.resolve(()) }
        return answer
    }

    /// Waits until a number is called.
    ///
    /// - Returns: True if it was called; false if the time was over or the task was cancelled first.
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
        timeout: Duration,
        _ mayBegin: @escaping @Sendable () -> Bool
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
        let answer = await self.exchange.perform(
            request,
            to: route.name,
            template: route.template,
            within: timeout,
            mayBegin: mayBegin
        ) { response in
            let result = self.interpret(response, of: route, installation)
            return (DeliveryAnswer(result, response.headers), result.failure?.code)
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let error): return DeliveryAnswer(.failure(error), nil)
        }
    }

    /// Interprets the status of an answer; no other code does.
    private func interpret(
        _ response: TransportResponse,
        of route: Route,
        _ installation: InstallationID?
    ) -> Result<[UInt8], SignetError> {
        // Accepted events stay accepted, whatever else the answer says.
        let isLong = response.body.count > Self.responseLimit
        if isLong, DispatchStateMachine.Lane(route) == .events, (200...299).contains(response.status) {
            return .success([])
        }
        guard !isLong else {
            return .failure(SignetError(.unexpectedAnswer, "The answer to \(route.name) is longer than allowed."))
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
        // "Not found" is a valid answer to a search, but not if it is the page of another server without such a path.
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
