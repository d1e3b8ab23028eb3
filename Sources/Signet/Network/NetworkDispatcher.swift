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
    /// The turns that were given and have not ended.
    private var given: Set<Int> = []
    private var nextTurn = 0

    /// The right to send one request, which counts as in flight until it has ended.
    struct Turn: Sendable, Hashable {
        fileprivate let number: Int
        fileprivate let route: Route
    }

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
    ///   - turn: The turn that the caller has waited for; it ends with the request. Nil to wait for one here.
    ///   - mayBegin: Asked directly before the exchange; false if the wait was too long.
    /// - Returns: The body of a successful answer, or the error.
    func perform(
        _ route: Route,
        of installation: InstallationID? = nil,
        body: [UInt8],
        timeout: Duration,
        in turn: Turn? = nil,
        mayBegin: @escaping @Sendable () -> Bool = { true }
    ) async -> Result<[UInt8], SignetError> {
        await self.deliver(route, of: installation, body: body, timeout: timeout, in: turn, mayBegin: mayBegin).result
    }

    /// Sends one request, once, and returns its answer with the platform's limits.
    func deliver(
        _ route: Route,
        of installation: InstallationID? = nil,
        body: [UInt8],
        timeout: Duration,
        in turn: Turn? = nil,
        mayBegin: @escaping @Sendable () -> Bool = { true }
    ) async -> DeliveryAnswer {
        let own: Turn
        if let turn {
            own = turn
        } else {
            switch await self.turn(route, of: installation, within: timeout) {
            case .success(let turn): own = turn
            case .failure(let error):
                return DeliveryAnswer(.failure(error), nil).naming { Remedy.ofRequest($0, to: route) }
            }
        }
        let answer =
            if let remaining = self.machine.pause(of: route, for: installation, now: self.time.uptime) {
                DeliveryAnswer(.failure(.throttled(route, remaining: remaining)), nil)
            } else if !mayBegin() {
                DeliveryAnswer(.failure(.tooLate), nil)
            } else {
                await self.send(route, of: installation, body: body, timeout: timeout, mayBegin)
            }
        self.end(own)
        return answer.naming { Remedy.ofRequest($0, to: route) }
    }

    // MARK: - Turns

    /// Waits for the turn of a request.
    ///
    /// It ends with the request, or with ``end(_:)``.
    ///
    /// - Parameters:
    ///   - route: The endpoint.
    ///   - installation: The installation that sends the request; nil if it belongs to no single installation.
    ///   - timeout: The most time to wait.
    /// - Returns: The turn; the error if the endpoint asked for a pause, or if the time was over.
    func turn(
        _ route: Route,
        of installation: InstallationID?,
        within timeout: Duration
    ) async -> Result<Turn, SignetError> {
        switch self.machine.admit(route, of: installation, now: self.time.uptime) {
        case .send:
            break
        case .throttled(let remaining):
            return .failure(.throttled(route, remaining: remaining))
        case .wait(let number):
            guard await self.isCalled(number, route, within: timeout) else {
                return .failure(Task.isCancelled ? .cancelled : .noTurn(within: timeout))
            }
        }
        let turn = Turn(number: self.nextTurn, route: route)
        self.nextTurn += 1
        self.given.insert(turn.number)
        // The pause may have begun while it waited.
        guard let remaining = self.machine.pause(of: route, for: installation, now: self.time.uptime) else {
            return .success(turn)
        }
        self.end(turn)
        return .failure(.throttled(route, remaining: remaining))
    }

    /// Ends a turn, and calls the next request; does nothing for one that has ended.
    func end(_ turn: Turn) {
        guard self.given.remove(turn.number) != nil else { return }
        if let next = self.machine.finished(turn.route) { self.turns.removeValue(forKey: next)?.resolve(()) }
    }

    /// Waits until a number is called.
    ///
    /// - Returns: True if it was called; false if the time was over or the task was cancelled first.
    private func isCalled(_ number: Int, _ route: Route, within limit: Duration) async -> Bool {
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
        self.machine.answered(route)
        // Accepted events stay accepted, whatever else the answer says.
        let isLong = response.body.count > Self.responseLimit
        if isLong, DispatchStateMachine.Lane(route) == .events, (200...299).contains(response.status) {
            return .success([])
        }
        guard !isLong else {
            let message = "The answer to \(route.name) is longer than allowed."
            return .failure(SignetError(.unexpectedAnswer, message, httpStatus: response.status))
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

    /// Ends the pauses of the endpoints for events and aliases; those of identity calls continue.
    func endUploadPauses() {
        for route in [Route.events, .bulkEvents, .alias] { self.machine.endPause(of: route) }
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
