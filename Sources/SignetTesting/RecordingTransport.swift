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

    private struct State {
        var exchanges: [Exchange] = []
        var inFlight = 0
        var maximumInFlight = 0
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
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
            result = .success(try await self.base.send(request))
        } catch {
            result = .failure(error)
        }
        let waiters = self.state.withLock { state in
            state.exchanges[index].result = result
            state.inFlight -= 1
            guard state.inFlight == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        for waiter in waiters { waiter.resume() }
        return try result.get()
    }
}
