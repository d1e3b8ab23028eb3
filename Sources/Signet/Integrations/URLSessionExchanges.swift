// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION
import SignetLock
import Foundation
import SignetTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of the session: finds the exchange of a task and passes the task's data to it.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    /// The queue of the session's callbacks.
    ///
    /// It is kept here because the session keeps its delegate, and an operation queue need not keep this.
    let queue = DispatchQueue(label: "signet.URLSessionTransport", qos: .userInitiated)

    private let exchanges = Locked<[Int: URLSessionExchange]>([:])

    func add(_ exchange: URLSessionExchange, of task: URLSessionTask) {
        self.exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func remove(_ task: URLSessionTask) {
        self.exchanges.withLock { $0[task.taskIdentifier] = nil }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        self.exchanges.withLock { $0[task.taskIdentifier] }
    }

    // No redirect is followed: the new host is not trusted, and our headers hold a signature.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = self.exchange(of: dataTask)?.receive(response) ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // Immediately: Foundation reads on, as fast as the server writes, until the task is cancelled.
        if self.exchange(of: dataTask)?.receive(data) != true {
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = self.exchange(of: task) else { return }
        // Foundation on Linux holds a redirect without a location back until the task is complete.
        if error == nil, !exchange.hasBegunAnswer, let response = task.response {
            _ = exchange.receive(response)
        }
        exchange.complete(with: error)
    }

    // We have no credentials but the headers, so a refusal is an answer like another. Foundation on Linux asks only
    // after the whole answer has come, and then hangs on the default handling.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let exchange = self.exchange(of: task), exchange.hasBegunAnswer else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        exchange.complete(with: nil)
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}
#endif
