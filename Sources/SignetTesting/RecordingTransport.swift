// SPDX-License-Identifier: Apache-2.0

public import SignetEmulator
import SignetLock
public import SignetTransport

/// A transport that records every exchange and forwards it to another transport.
public final class RecordingTransport: Transport {
    /// One request and its result.
    public struct Exchange: Sendable {
        /// The request.
        public let request: TransportRequest
        /// The result; nil while the request is in flight.
        public internal(set) var result: Result<TransportResponse, TransportError>?

        /// The last part of the path, such as `login`, `modify` or `events`.
        public var endpoint: String {
            self.request.url.split(separator: "/").last.map(String.init) ?? ""
        }
    }

    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var exchanges: [Exchange] = []
        var inFlight = 0
        var maximumInFlight = 0
        var idleWaiters: [Waiter] = []
        /// The exchanges in flight that have reached the other transport.
        var arrived: Set<Int> = []
        var arrivalWaiters: [Int: (count: Int, waiter: Waiter)] = [:]
        var lastTicket = 0

        mutating func ticket() -> Int {
            self.lastTicket += 1
            return self.lastTicket
        }

        mutating func arrive(_ index: Int) -> [Waiter] {
            self.arrived.insert(index)
            let met = self.arrivalWaiters.filter { $0.value.count <= self.arrived.count }
            for ticket in met.keys { self.arrivalWaiters[ticket] = nil }
            return met.values.map { $0.waiter }
        }

        mutating func end(_ index: Int, _ result: Result<TransportResponse, TransportError>) -> [Waiter] {
            self.exchanges[index].result = result
            self.arrived.remove(index)
            self.inFlight -= 1
            guard self.inFlight == 0 else { return [] }
            defer { self.idleWaiters = [] }
            return self.idleWaiters
        }
    }

    private let base: any Transport
    private let state = Locked(State())

    /// Wraps a transport.
    public init(_ base: any Transport) {
        self.base = base
    }

    /// Wraps the transport of an emulator.
    public convenience init(_ emulator: Emulator) {
        self.init(emulator.transport)
    }

    /// All exchanges, oldest first.
    public var exchanges: [Exchange] {
        self.state.withLock { $0.exchanges }
    }

    /// The number of requests in flight.
    public var inFlight: Int {
        self.state.withLock { $0.inFlight }
    }

    /// The maximum number of requests that were in flight at once.
    public var maximumInFlight: Int {
        self.state.withLock { $0.maximumInFlight }
    }

    /// Waits until so many requests are on the wire at once; returns at once when they are.
    ///
    /// With it a test lets a call time out: a fault or an `EmulatorGate` holds the request, the test waits until it is on the
    /// wire, and then moves the clock. An emulator has taken the fault of a request that is counted here.
    ///
    /// ```swift
    /// try await withEmulatedSignet { signet in
    ///     let visitor = try await signet.runtime.open("cookie-17", identify: .none)
    ///     signet.emulator.faults.inject(.timeout, on: .login)
    ///     async let login = visitor.login([.customerID: "c-17"])
    ///     await signet.transport.inFlight(1)
    ///     signet.clock.advance(by: .seconds(10))  // identity.requestTimeout
    ///     do { _ = try await login } catch let error as SignetError { #expect(error.code == .timedOut) }
    /// }
    /// ```
    ///
    /// Requests of the runtime itself count, too. It waits for as long as there are fewer, without a limit, and returns early
    /// when its task is cancelled.
    ///
    /// - Parameter count: The least number of requests.
    public func inFlight(_ count: Int) async {
        let ticket = self.state.withLock { $0.ticket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isMet = self.state.withLock { state in
                    // A cancellation from here on finds the waiter.
                    if state.arrived.count >= count || Task.isCancelled { return true }
                    state.arrivalWaiters[ticket] = (count, continuation)
                    return false
                }
                if isMet { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.arrivalWaiters.removeValue(forKey: ticket) }?.waiter.resume()
        }
    }

    /// Waits until no request is in flight; returns at once when none is.
    public func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = self.state.withLock { state in
                if state.inFlight > 0 { state.idleWaiters.append(continuation) }
                return state.inFlight == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Forwards a request and records it.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let index = self.state.withLock { state in
            state.exchanges.append(Exchange(request: request))
            state.inFlight += 1
            state.maximumInFlight = max(state.maximumInFlight, state.inFlight)
            return state.exchanges.count - 1
        }
        let result: Result<TransportResponse, TransportError>
        do throws(TransportError) {
            result = .success(try await self.forward(request, index))
        } catch {
            result = .failure(error)
        }
        Self.resume(self.state.withLock { $0.end(index, result) })
        return try result.get()
    }

    private func forward(
        _ request: TransportRequest,
        _ index: Int
    ) async throws(TransportError) -> TransportResponse {
        // An emulator says when a request has come; of another transport only the call is known.
        guard let emulator = self.base as? EmulatorTransport else {
            self.arrive(index)
            return try await self.base.send(request)
        }
        return try await emulator.send(request) { self.arrive(index) }
    }

    private func arrive(_ index: Int) {
        Self.resume(self.state.withLock { $0.arrive(index) })
    }

    private static func resume(_ waiters: [Waiter]) {
        for waiter in waiters { waiter.resume() }
    }
}
