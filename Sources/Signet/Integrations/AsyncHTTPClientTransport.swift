// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClientTransport
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
/// host.
///
/// It reads no proxy from the environment: ``init(sharing:)`` takes a client that has one.
///
/// It exists under the trait `AsyncHTTPClientTransport`, which fetches async-http-client.
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
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, maximumConnectionsPerHost)
        // Each request is sent once: the runtime decides about retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Your trace ids are not sent to the platform; the runtime's own spans come from its observer.
        configuration.tracing.tracer = nil
        self.source = .own(HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
    }

    /// Makes a transport on your client, with your choice of proxy, certificates or event loops.
    ///
    /// - Parameter client: You shut it down, after the runtime. It must follow no redirects (`redirectConfiguration:
    ///   .disallow`). It should establish a connection only once (`connectionPool.retryConnectionEstablishment`),
    ///   because the runtime has its own retry rules. To keep trace ids from the platform, give it no tracer
    ///   (`tracing.tracer = nil`); by default it has that of the process.
    public init(sharing client: HTTPClient) {
        self.source = .shared(client)
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
            await Self.exchange(prepared, through: client, limit: request.responseLimit)
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
        _ request: HTTPClientRequest,
        through client: HTTPClient,
        limit: Int
    ) async -> Result<TransportResponse, TransportError> {
        let tooLarge = TransportError(.responseTooLarge, "The answer is longer than \(limit) bytes.")
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
            return .failure(TransportError(clientError: error, hasBegunAnswer: answer != nil))
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
