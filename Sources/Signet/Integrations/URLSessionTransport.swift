// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION
import Foundation
import SignetJournal
import SignetLock
public import SignetTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests with the `URLSession` of the toolchain's Foundation.
///
/// One transport serves the whole process; make one and keep it. It keeps no cookies, no cache and no credentials. It
/// follows no redirect (the redirect itself is the answer), and stops reading an answer at the limit of its request.
/// Connections are kept open and shared between requests to one host.
///
/// - Warning: On Linux, Foundation of Swift 6.3 ends the process when a server closes the connection in the middle of
///   the head of an answer (`NativeProtocol.swift`: "Transfer completed, but there's no response"). Over TLS only the
///   server itself can do that. A process that must survive it needs another transport.
///
/// - Warning: On Linux, Foundation of Swift 6.3 loses memory with every request, 12 MB a day or more at one a second:
///   `CFURLSessionCurlHostIsEqual` frees the handle of a parsed address, but not its parts. A server that runs for
///   months needs another transport.
///
/// On Linux, Foundation reads as fast as a server writes. An answer beyond its limit stays in memory until reading
/// stops: a server that never stops writing costs gigabytes and slows every request of the process down.
/// `AsyncHTTPClientTransport` reads no further than it is asked to.
///
/// On Linux it uses the proxies of the environment (`http_proxy`, `https_proxy`, `no_proxy`), to a loopback address too
/// unless `no_proxy` names that; elsewhere those of the system.
///
/// It exists under the trait `URLSessionTransport`, which is on by default and links Foundation, and under `Tool`.
/// Write your own `Transport` to pin certificates.
public final class URLSessionTransport: Transport {
    // Longer than the limit of any request; also, Foundation on Linux multiplies its own limit without an overflow
    // check.
    private static let longestTimeout = Duration.seconds(86_400)

    private let session: URLSession
    private let exchanges: URLSessionExchanges
    /// The queue on which the session is called.
    ///
    /// On Linux the session blocks its callers while it reads a server's answer, and Swift's tasks have few threads to
    /// block.
    private let calls = DispatchQueue(label: "signet.URLSessionTransport.calls", qos: .userInitiated)
    private let time = TimeSource.system()

    /// Makes a transport with its own connections.
    ///
    /// - Parameter maximumConnectionsPerHost: The most connections to one host at once; further requests wait, and the
    ///   wait counts against their time limits.
    public init(maximumConnectionsPerHost: Int = 64) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
        self.exchanges = URLSessionExchanges()
        // A thread of its own: Foundation on Linux reads as fast as the server writes, and buffers what the delegate
        // has not taken. The limit of an answer therefore holds only as well as the delegate keeps pace.
        let operations = OperationQueue()
        operations.maxConcurrentOperationCount = 1
        operations.underlyingQueue = self.exchanges.queue
        self.session = URLSession(configuration: configuration, delegate: self.exchanges, delegateQueue: operations)
    }

    // A session keeps its delegate alive until it is invalidated.
    deinit {
        self.session.finishTasksAndInvalidate()
    }

    /// Sends one request and waits for the whole answer.
    ///
    /// The time limit counts from this call, including the wait for a free connection. If Foundation decompresses an
    /// answer, its size limit applies to the decompressed bytes.
    ///
    /// - Parameter request: The request, with complete headers.
    /// - Returns: The answer, with any status.
    /// - Throws: `TransportError` when there is no answer.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let urlRequest = try Self.urlRequest(for: request)
        guard !Task.isCancelled else {
            throw TransportError(.cancelled, "The task was cancelled before the request was sent.")
        }
        let exchange = URLSessionExchange(responseLimit: request.responseLimit)
        let started = Locked<URLSessionTask?>(nil)
        // Real time: the runtime keeps the limit on its own clock as well. Nothing that outlives the exchange holds it:
        // a timer of Dispatch would keep request and answer until it is due, cancelled or not.
        let answer = await withTimeLimit(min(request.timeout, Self.longestTimeout), on: self.time) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    guard exchange.begin(continuation) else { return }
                    self.calls.async {
                        // The transport is held until then: a session that has ended takes no tasks, and ends the process.
                        guard !exchange.isFinished else { return }
                        let task = self.session.dataTask(with: urlRequest)
                        self.exchanges.add(exchange, of: task)
                        started.withLock { $0 = task }
                        task.resume()
                    }
                }
            } onCancel: {
                exchange.finish(.failure(TransportError(.cancelled, "The task was cancelled.")))
            }
        }
        // After its start, if it was started, and in this order: the exchange is removed, then the task, finished or
        // not, is released.
        self.calls.async {
            guard let task = started.withLock({ $0 }) else { return }
            self.exchanges.remove(task)
            task.cancel()
        }
        if let answer {
            return try answer.get()
        }
        guard !Task.isCancelled else { throw TransportError(.cancelled, "The task was cancelled.") }
        throw TransportError(.timedOut, "No complete answer arrived within \(request.timeout).")
    }

    private static func urlRequest(for request: TransportRequest) throws(TransportError) -> URLRequest {
        guard let url = URL(string: request.url), url.scheme == "https" || url.scheme == "http", url.host != nil else {
            throw TransportError(.invalidRequest, "The address is not an absolute https or http URL.")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method.rawValue
        if !request.body.isEmpty {
            urlRequest.httpBody = Data(request.body)
        }
        for field in request.headers {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        // Foundation's limit counts from the last byte received; ours, which counts the whole exchange, comes first.
        urlRequest.timeoutInterval = Self.seconds(of: request.timeout).rounded(.up) + 60
        return urlRequest
    }

    private static func seconds(of timeout: Duration) -> Double {
        min(max(timeout, .zero), Self.longestTimeout) / .seconds(1)
    }
}
#endif
