// SPDX-License-Identifier: Apache-2.0

public import SignetTransport

/// A transport to an ``Emulator``: requests pass through its faults to the platform.
///
/// As a real transport does, it throws `cancelled` promptly when its task is cancelled, and refuses an answer that is
/// longer than the request allows. It leaves time limits to its caller.
public struct EmulatorTransport: Transport {
    private let emulator: Emulator

    init(to emulator: Emulator) {
        self.emulator = emulator
    }

    /// Sends one request to the emulator.
    ///
    /// - Parameter request: The request; the host of its URL is ignored.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `TransportError`: `cancelled`, `invalidRequest` for an invalid URL, `responseTooLarge`, and the errors of
    ///   faults.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try await self.send(request) {}
    }

    /// Sends one request to the emulator, and reports that it has arrived: its fault is taken, and nothing is answered yet.
    ///
    /// - Parameters:
    ///   - request: The request; the host of its URL is ignored.
    ///   - onArrival: Called once before the answer, or not at all for a request that is cancelled or invalid.
    /// - Returns: The answer, whatever its status.
    /// - Throws: The errors of ``send(_:)``.
    package func send(
        _ request: TransportRequest,
        onArrival: () -> Void
    ) async throws(TransportError) -> TransportResponse {
        guard !Task.isCancelled else { throw Self.cancelled }
        guard let target = RequestTarget(url: request.url) else {
            throw TransportError(.invalidRequest, "The URL is not absolute.")
        }
        let route = target.route(of: request)
        let fault = self.emulator.faults.take(for: route)
        onArrival()
        let response =
            if let fault {
                try await self.send(request, on: route, through: fault)
            } else {
                self.emulator.answer(request)
            }
        guard response.body.count <= request.responseLimit else { throw Self.tooLarge }
        return response
    }

    private func send(
        _ request: TransportRequest,
        on route: EmulatorRoute?,
        through fault: FaultInjector.Fault
    ) async throws(TransportError) -> TransportResponse {
        switch fault {
        case .delay(let duration):
            try await self.wait(duration)
            return self.emulator.answer(request)
        case .held(let gate):
            guard await gate.pass() else { throw Self.cancelled }
            return self.emulator.answer(request)
        case .replyHeld(let gate):
            let response = self.emulator.answer(request)
            guard await gate.pass() else { throw Self.cancelled }
            return response
        case .status(let status, let retryAfter):
            self.emulator.count(route)
            return Self.refusal(status, retryAfter: retryAfter, route: route)
        case .refused(let status, let code, let message):
            self.emulator.count(route)
            return Refusal(status, code, message).response(to: route)
        case .answer(let response):
            self.emulator.count(route)
            return response
        case .garbage(let body):
            self.emulator.count(route)
            return TransportResponse(json: body)
        case .hugeAnswer:
            self.emulator.count(route)
            throw Self.tooLarge
        case .truncated:
            var response = self.emulator.answer(request)
            response.body.removeLast(response.body.count - response.body.count / 2)
            return response
        case .replyLost:
            _ = self.emulator.answer(request)
            throw TransportError(.notConnected, "The connection broke before the answer arrived.")
        case .connectionRefused:
            throw TransportError(.notConnected, "The connection was refused.")
        case .failure(let error):
            throw error
        case .timeout:
            _ = await EmulatorGate().pass()
            throw Self.cancelled
        }
    }

    private func wait(_ duration: Duration) async throws(TransportError) {
        do {
            try await self.emulator.clock.sleep(for: duration)
        } catch {
            throw Self.cancelled
        }
    }

    // 429 names the limit that was hit (default service limits). Retry-After is rounded up, so that no client is early.
    private static func refusal(_ status: Int, retryAfter: Duration?, route: EmulatorRoute?) -> TransportResponse {
        let isIterable = route?.isIterable == true
        let isInfobip = route?.isInfobip == true
        let refusal =
            isIterable
            ? Refusal.iterableFault(status)
            : Refusal(status, isInfobip ? "0" : "FAULTS", "As scripted in Emulator.faults.")
        var response = refusal.response(to: route)
        if status == 429, !isIterable, !isInfobip {
            response.headers.append(name: "X-mp-rate-limit-exceeded", value: "workspace")
        }
        if let retryAfter {
            let (seconds, attoseconds) = retryAfter.components
            response.headers.append(name: "Retry-After", value: String(seconds + (attoseconds > 0 ? 1 : 0)))
        }
        return response
    }

    private static let cancelled = TransportError(.cancelled, "The task was cancelled.")
    private static let tooLarge = TransportError(.responseTooLarge, "The answer is longer than the request allows.")
}
