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

/// Sends requests to the visitors' service, so many at once, and says what their answers mean.
actor VisitorSender {
    private let transport: any Transport
    private let builder: VisitorRequestBuilder
    private let time: TimeSource
    private let observer: any SignetObserver
    private let statistics: StatisticsRecorder
    private let timeout: Duration
    private var free: Int
    private var waiting = FIFO<CheckedContinuation<Void, Never>>()

    /// The most bytes of an answer that are read.
    static let responseLimit = 1 << 20

    init(
        transport: any Transport,
        builder: VisitorRequestBuilder,
        time: TimeSource,
        observer: any SignetObserver,
        statistics: StatisticsRecorder,
        timeout: Duration,
        maximumInFlight: Int
    ) {
        self.transport = transport
        self.builder = builder
        self.time = time
        self.observer = observer
        self.statistics = statistics
        self.timeout = timeout
        self.free = maximumInFlight
    }

    /// What came back.
    struct Reply: Sendable {
        let verdict: VisitorVerdict
        let body: [UInt8]
    }

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - route: What to ask.
    ///   - body: The JSON; empty for a GET.
    ///   - token: The token that is held now; nil for none.
    ///   - limits: How much JSON to take.
    /// - Returns: What came back, or why nothing did.
    func send(
        _ route: VisitorRoute,
        _ body: [UInt8],
        token: String?,
        limits: JSONLimits = JSONLimits()
    ) async -> Result<Reply, SignetError> {
        await self.enter()
        defer { self.leave() }
        let request: TransportRequest
        do throws(WireError) {
            request = try self.builder.request(
                for: route,
                body: body,
                token: token.map { Secret($0) },
                processor: .offline,
                at: self.time.milliseconds,
                timeout: self.timeout,
                responseLimit: Self.responseLimit
            )
        } catch {
            return .failure(SignetError(.invalidConfiguration, error.message, cause: error))
        }
        let start = self.time.uptime
        self.statistics.requestSent(route.name)
        let answer = await self.transport.exchange(request, within: self.timeout, on: self.time)
        var status: Int?
        var failure: SignetError.Code?
        let result: Result<Reply, SignetError>
        switch answer {
        case .success(let response):
            status = response.status
            let verdict = VisitorVerdict(response, now: self.time.milliseconds, limits: limits)
            failure = SignetError(verdict, of: route)?.code
            result = .success(Reply(verdict: verdict, body: response.body))
        case .failure(let error):
            failure = error.code
            result = .failure(error)
        }
        self.observer.requestFinished(
            RequestReport(endpoint: route.name, status: status, failure: failure, duration: self.time.uptime - start)
        )
        return result
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

extension SignetError {
    /// Says a refusal of the visitors' service in the words of the front door; nil for a success.
    init?(_ verdict: VisitorVerdict, of route: VisitorRoute) {
        let name = route.name
        switch verdict {
        case .success:
            return nil
        case .tokenRefused(_, let error):
            self.init(.unauthorized, "The token was refused at \(name).", httpStatus: 401, errors: [error])
        case .unauthorized(let status, let error):
            self.init(
                .unauthorized,
                "The visitors' service does not let \(name) in: check the API key of the project.",
                httpStatus: status,
                errors: [error]
            )
        case .conflict(let error):
            self.init(.refused, "The criteria of the project have changed.", httpStatus: 409, errors: [error])
        case .throttled(let delay):
            self.init(
                .throttled,
                "The visitors' service is being asked too much; \(name) is tried again later.",
                httpStatus: 429,
                retryAfter: delay
            )
        case .refused(let status, let error):
            self.init(.refused, "The visitors' service refused \(name) for good.", httpStatus: status, errors: [error])
        case .failed(let status, let delay):
            self.init(
                .serverFailure,
                "The visitors' service failed at \(name); it is tried again later.",
                httpStatus: status,
                retryAfter: delay
            )
        case .unusable(let status):
            self.init(
                .unexpectedAnswer,
                "The answer to \(name) is not one of the visitors' service; check the base URL and what stands between.",
                httpStatus: status
            )
        }
    }
}
