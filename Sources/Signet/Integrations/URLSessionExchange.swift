// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION
import SignetLock
import Foundation
import SignetTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request under way: the answer so far, and the waiting caller.
///
/// The first to finish it decides its result: the answer, an error, the time limit or a cancellation.
final class URLSessionExchange: Sendable {
    typealias Answer = Result<TransportResponse, TransportError>
    typealias Waiter = CheckedContinuation<Answer, Never>

    private struct State: Sendable {
        var waiter: Waiter?
        var answer: Answer?
        var response: TransportResponse?
    }

    private let responseLimit: Int
    private let state = Locked(State())

    init(responseLimit: Int) {
        self.responseLimit = responseLimit
    }

    /// Suspends the caller; an exchange that has already finished answers immediately.
    ///
    /// - Returns: True if the request is still to be sent.
    func begin(_ waiter: Waiter) -> Bool {
        let answer = self.state.withLock { state in
            if state.answer == nil {
                state.waiter = waiter
            }
            return state.answer
        }
        guard let answer else { return true }
        waiter.resume(returning: answer)
        return false
    }

    /// Ends the exchange, unless it has ended.
    func finish(_ answer: Answer) {
        let waiter = self.state.withLock { state -> Waiter? in
            guard state.answer == nil else { return nil }
            state.answer = answer
            state.response = nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: answer)
    }

    /// Receives the status line and the headers.
    ///
    /// - Returns: True if the rest is wanted.
    func receive(_ response: URLResponse) -> Bool {
        guard let http = response as? HTTPURLResponse else {
            self.finish(.failure(TransportError(.badResponse, "The answer is not HTTP.")))
            return false
        }
        // 100 and 103 come before the answer.
        guard http.statusCode >= 200 else { return true }
        guard response.expectedContentLength <= Int64(self.responseLimit) else {
            self.finish(.failure(self.tooLarge))
            return false
        }
        let answer = TransportResponse(status: http.statusCode, headers: Self.headers(of: http))
        return self.state.withLock { state in
            guard state.answer == nil else { return false }
            state.response = answer
            return true
        }
    }

    /// Receives a piece of the body.
    ///
    /// - Returns: True if the rest is wanted.
    func receive(_ data: Data) -> Bool {
        let isWithinLimit = self.state.withLock { state -> Bool in
            guard let count = state.response?.body.count, data.count <= self.responseLimit - count else { return false }
            state.response?.body.append(contentsOf: data)
            return true
        }
        if !isWithinLimit {
            // An exchange that has already ended keeps its result.
            self.finish(.failure(self.tooLarge))
        }
        return isWithinLimit
    }

    /// True after the exchange has ended.
    var isFinished: Bool {
        self.state.withLock { $0.answer != nil }
    }

    /// True after the head of the answer has arrived.
    var hasBegunAnswer: Bool {
        self.state.withLock { $0.response != nil }
    }

    /// Ends the exchange after the task is complete.
    func complete(with error: (any Error)?) {
        let response = self.state.withLock { $0.response }
        switch (error, response) {
        case (nil, let response?):
            self.finish(.success(response))
        case (nil, nil):
            self.finish(.failure(TransportError(.badResponse, "The connection was closed without an answer.")))
        case (let error?, let response):
            self.finish(.failure(TransportError(error, hasBegunAnswer: response != nil)))
        }
    }

    private var tooLarge: TransportError {
        TransportError(.responseTooLarge, "The answer is longer than \(self.responseLimit) bytes.")
    }

    // Foundation joins fields of one name and loses the order, so any fixed order will do.
    private static func headers(of response: HTTPURLResponse) -> HTTPHeaders {
        var headers = HTTPHeaders()
        let fields = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        for field in fields.sorted(by: { $0.name < $1.name }) {
            headers.append(name: field.name, value: field.value)
        }
        return headers
    }
}
#endif
