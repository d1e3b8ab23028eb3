// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
public import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOHTTP1
public import SignetTransport

/// Sends requests with AsyncHTTPClient, over HTTP/1.1 or, if a server offers it over TLS, HTTP/2.
///
/// One transport serves the whole process; make one and keep it. It keeps no cookies and no cache, and follows no
/// redirect (the redirect itself is the answer). It connects once for each request that finds no open connection, and
/// stops reading an answer at the limit of its request. Connections are kept open and shared between requests to one
/// host, and closed after 15 s without a request, before load balancers do so.
///
/// A request goes again at once, within its time limit, once in each of two cases. The server has certainly not processed
/// it: HTTP/2 refused its stream, or the connection ended before the request was sent. Or the connection ended before an
/// answer began, and ``TransportRequest/isRepeatable`` is true. Other requests fail with `notConnected`.
///
/// An HTTP/2 connection on which three requests in a row time out or are cancelled gets no more requests.
///
/// It reads no proxy from the environment: ``init(sharing:)`` takes a client that has one.
///
/// It exists under the traits `Server` and `AsyncHTTPClientTransport`, which fetch async-http-client.
public final class AsyncHTTPClientTransport: Transport {
    /// The client, by the one who shuts it down.
    private enum Client {
        /// This transport made it, and shuts it down.
        case own(HTTPClient)
        /// The app made it, and shuts it down.
        case shared(HTTPClient)
    }

    private let source: Client
    private let time = TimeSource.system()

    /// Makes a transport with its own client, on the event loops that the process shares.
    ///
    /// - Parameter maximumConnectionsPerHost: The most HTTP/1.1 connections to one host at once; further requests wait,
    ///   and the wait counts against their time limits.
    public init(maximumConnectionsPerHost: Int = 64) {
        let configuration = Self.recommendedConfiguration(maximumConnectionsPerHost: maximumConnectionsPerHost)
        self.source = .own(HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
    }

    /// Makes a transport on your client, with your choice of proxy, certificates or event loops.
    ///
    /// - Parameter client: You shut it down, after the runtime. Make it with
    ///   ``recommendedConfiguration(maximumConnectionsPerHost:)``, changed as you need. It must follow no redirects
    ///   (`redirectConfiguration: .disallow`). A client with another configuration cannot distinguish a stream that
    ///   GOAWAY excluded from one that the server may have processed, so only repeatable requests go again after it.
    public init(sharing client: HTTPClient) {
        self.source = .shared(client)
    }

    /// The configuration of the client that ``init(maximumConnectionsPerHost:)`` makes, for a client of your own.
    ///
    /// It follows no redirects, leaves retries to the runtime, closes idle connections before load balancers do, and
    /// watches HTTP/2 connections (`http2StreamChannelDebugInitializer`). It has no tracer: your trace ids are not sent
    /// to the platform.
    ///
    /// - Parameter maximumConnectionsPerHost: The most HTTP/1.1 connections to one host at once.
    /// - Returns: The configuration.
    public static func recommendedConfiguration(maximumConnectionsPerHost: Int = 64) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, maximumConnectionsPerHost)
        // Load balancers close idle connections after 60 s: a request then would meet the end of its connection.
        configuration.connectionPool.idleTimeout = .seconds(15)
        // The runtime decides about retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The runtime's own spans come from its observer.
        configuration.tracing.tracer = nil
        configuration.http2StreamChannelDebugInitializer = { HTTP2ConnectionWatch.begin(on: $0) }
        return configuration
    }

    // No request is under way, as each holds the transport. The client is kept alive until it has shut down.
    deinit {
        if case .own(let client) = self.source {
            client.shutdown { _ in }
        }
    }

    private var client: HTTPClient {
        switch self.source {
        case .own(let client), .shared(let client): client
        }
    }

    /// Sends one request and waits for the whole answer.
    ///
    /// The time limit counts from this call, including the wait for a free connection.
    ///
    /// - Parameter request: The request, with complete headers.
    /// - Returns: The answer, with any status.
    /// - Throws: `TransportError` when there is no answer.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let prepared = try Self.prepare(request)
        guard !Task.isCancelled else {
            throw TransportError(.cancelled, "The task was cancelled before the request was sent.")
        }
        // Real time: the client's own deadline ends with the head of an answer.
        let answer = await withTimeLimit(request.timeout, on: self.time) { [client] in
            await Self.exchange(prepared, for: request, through: client)
        }
        if let answer {
            return try answer.get()
        }
        guard !Task.isCancelled else { throw TransportError(.cancelled, "The task was cancelled.") }
        throw TransportError(.timedOut, "No complete answer arrived within \(request.timeout).")
    }

    private static func prepare(_ request: TransportRequest) throws(TransportError) -> HTTPClientRequest {
        // The client also accepts sockets of other schemes.
        guard request.url.hasPrefix("https://") || request.url.hasPrefix("http://") else {
            throw TransportError(.invalidRequest, "The address is not an absolute https or http URL.")
        }
        var prepared = HTTPClientRequest(url: request.url)
        prepared.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers {
            prepared.headers.add(name: field.name, value: field.value)
        }
        if !request.body.isEmpty {
            prepared.body = .bytes(ByteBuffer(bytes: request.body))
        }
        return prepared
    }

    private static func exchange(
        _ prepared: HTTPClientRequest,
        for request: TransportRequest,
        through client: HTTPClient
    ) async -> Result<TransportResponse, TransportError> {
        var budget = RepetitionBudget(isRepeatable: request.isRepeatable)
        while true {
            switch await Self.attempt(prepared, through: client, limit: request.responseLimit) {
            case .success(let response): return .success(response)
            case .failure(let failure) where budget.allows(failure): continue
            case .failure(let failure): return .failure(failure.error)
            }
        }
    }

    private static func attempt(
        _ request: HTTPClientRequest,
        through client: HTTPClient,
        limit: Int
    ) async -> Result<TransportResponse, ExchangeFailure> {
        let tooLarge = ExchangeFailure.final(
            TransportError(.responseTooLarge, "The answer is longer than \(limit) bytes.")
        )
        var answer: TransportResponse?
        do {
            let response = try await client.execute(request, deadline: .distantFuture)
            var read = TransportResponse(status: Int(response.status.code), headers: Self.headers(of: response))
            answer = read
            if let length = response.headers.first(name: "content-length").flatMap(Int.init), length > limit {
                return .failure(tooLarge)
            }
            for try await piece in response.body {
                guard piece.readableBytes <= limit - read.body.count else { return .failure(tooLarge) }
                read.body.append(contentsOf: piece.readableBytesView)
            }
            return .success(read)
        } catch {
            let isCancelled = Task.isCancelled
            return .failure(ExchangeFailure(error, hasBegunAnswer: answer != nil, isCancelled: isCancelled))
        }
    }

    private static func headers(of response: HTTPClientResponse) -> SignetTransport.HTTPHeaders {
        var headers = SignetTransport.HTTPHeaders()
        for field in response.headers {
            headers.append(name: field.name, value: field.value)
        }
        return headers
    }
}
#endif
