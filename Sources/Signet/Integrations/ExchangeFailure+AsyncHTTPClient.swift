// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import SignetTransport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension ExchangeFailure {
    /// Reads an error of AsyncHTTPClient or of a layer below it.
    ///
    /// - Parameters:
    ///   - error: The client's error; its text may hold the URL and is not passed on.
    ///   - hasBegunAnswer: True if the head of an answer had arrived.
    ///   - isCancelled: True if the task of the request is cancelled.
    package init(_ error: any Error, hasBegunAnswer: Bool, isCancelled: Bool) {
        guard !isCancelled else {
            self = .final(TransportError(.cancelled, "The task was cancelled."))
            return
        }
        let reading = Self.read(error)
        self = hasBegunAnswer ? reading.duringAnswer : reading
    }

    /// The same failure after the head of an answer: the server has processed the request, and its answer is incomplete.
    private var duringAnswer: ExchangeFailure {
        switch self {
        case .notProcessed, .unknown:
            .final(TransportError(.badResponse, "The connection ended before the answer was complete."))
        case .final(let error) where error.code == .notConnected:
            .final(TransportError(.badResponse, error.message))
        case .final:
            self
        }
    }

    private static let unsent = ExchangeFailure.notProcessed(
        TransportError(.notConnected, "The connection ended before the server processed the request.")
    )
    private static let lost = ExchangeFailure.unknown(
        TransportError(.notConnected, "The connection ended before an answer came.")
    )
    private static let untrusted = ExchangeFailure.final(
        TransportError(.secureConnectionFailed, "No trusted TLS connection could be made.")
    )
    private static let notHTTP = ExchangeFailure.final(TransportError(.badResponse, "The answer is not HTTP."))
    private static let unreachable = ExchangeFailure.final(
        TransportError(.notConnected, "The connection could not be made.")
    )

    private static func read(_ error: any Error) -> ExchangeFailure {
        switch error {
        case is UnprocessedStream: self.unsent
        case let error as HTTPClientError: self.read(error)
        case let error as NIOHTTP2Errors.StreamError: self.read(error.baseError)
        case let error as any NIOHTTP2Error: self.read(http2: error)
        case let error as NIOSSLError: self.read(error)
        case let error as BoringSSLError: self.read(error)
        case is NIOSSLExtraError, is NIOTLSUnwrappingError: self.untrusted
        case is NIOSSLCloseTimedOutError: self.lost
        case is HTTPParserError, is NIOHTTPDecoderError: self.notHTTP
        case let error as ChannelError: self.read(error)
        case let error as IOError: self.read(error)
        case is NIOConnectionError, is SocketAddressError, is SocketAddressError.UnknownHost: self.unreachable
        // Only a cancelled task throws it.
        case is CancellationError: self.lost
        default: self.reading(ofTypeNamed: String(reflecting: type(of: error)))
        }
    }

    private static func read(_ error: HTTPClientError) -> ExchangeFailure {
        let name = error.shortDescription
        switch error {
        // The connection was closing when the client gave it the request. The client also cancels requests in flight, but only
        // when it shuts down, and then it takes no second one.
        case .cancelled:
            return self.unsent
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled:
            return self.lost
        case .readTimeout, .writeTimeout, .connectTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            return .final(TransportError(.timedOut, "No answer arrived in time (\(name))."))
        case .invalidProxyResponse, .redirectLimitReached, .redirectCycleDetected:
            return .final(TransportError(.badResponse, "The answer is not HTTP, or is incomplete (\(name))."))
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .traceRequestWithBody,
            .identityCodingIncorrectlyPresent, .contentLengthMissing, .bodyLengthMismatch:
            return .final(TransportError(.invalidRequest, "The request cannot be sent (\(name))."))
        case .proxyAuthenticationRequired:
            return .final(TransportError(.notConnected, "The proxy requires authentication."))
        case .alreadyShutdown, .writeAfterRequestSent, .invalidRedirectConfiguration,
            .invalidHTTPVersionConfiguration, .invalidDNSOverridesConfiguration, .invalidLocalAddress,
            .invalidProxyConfiguration:
            return .final(TransportError(.other, "The HTTP client cannot send requests (\(name))."))
        default:
            return self.reading(ofErrorNamed: name)
        }
    }

    /// Reads an `HTTPClientError` that has no constant to compare with, or a deprecated one.
    ///
    /// - Parameter name: Its `shortDescription`, which does not hold its value.
    /// - Returns: The reading.
    package static func reading(ofErrorNamed name: String) -> ExchangeFailure {
        switch name {
        case "Unsupported scheme", "Invalid header field names", "Invalid header field values", "Incompatible headers",
            "Chunked specified multiple times":
            .final(TransportError(.invalidRequest, "The request cannot be sent (\(name))."))
        case "HTTP end received after head with 1xx":
            self.notHTTP
        case "Server offered unsupported application protocol":
            .final(TransportError(.secureConnectionFailed, "No trusted TLS connection could be made (\(name))."))
        default:
            .final(TransportError(.other, "The request failed (\(name))."))
        }
    }

    private static func read(http2 error: any NIOHTTP2Error) -> ExchangeFailure {
        switch error {
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream: self.unsent
        // The stream was never opened.
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway, is NIOHTTP2Errors.NoStreamIDAvailable,
            is NIOHTTP2Errors.MaxStreamsViolation:
            self.unsent
        default: self.lost
        }
    }

    private static func read(_ error: NIOSSLError) -> ExchangeFailure {
        switch error {
        case .handshakeFailed(.sslError([.eofDuringHandshake])),
            .handshakeFailed(.sslError([.eofDuringAdditionalCertficiateChainValidation])):
            self.unsent
        case .uncleanShutdown, .writeDuringTLSShutdown, .readInInvalidTLSState, .shutdownFailed: self.lost
        default: self.untrusted
        }
    }

    private static func read(_ error: BoringSSLError) -> ExchangeFailure {
        switch error {
        case .zeroReturn, .syscallError: self.lost
        default: self.untrusted
        }
    }

    private static func read(_ error: ChannelError) -> ExchangeFailure {
        switch error {
        // The client gave the request to a connection that had ended.
        case .ioOnClosedChannel: self.unsent
        case .alreadyClosed, .outputClosed, .inputClosed, .eof, .inappropriateOperationForState: self.lost
        case .connectTimeout: .final(TransportError(.timedOut, "The connection was not made in time."))
        case .connectPending, .unknownLocalAddress, .writeHostUnreachable: self.unreachable
        default: .final(TransportError(.other, "The HTTP client could not use its connection."))
        }
    }

    private static func read(_ error: IOError) -> ExchangeFailure {
        switch error.errnoCode {
        case ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN, EBADF: self.lost
        default: self.unreachable
        }
    }

    /// Reads an error whose type only its own module can name.
    ///
    /// - Parameter name: The name of the type, with its module.
    /// - Returns: The reading.
    package static func reading(ofTypeNamed name: String) -> ExchangeFailure {
        switch name {
        case "AsyncHTTPClient.HTTP2ReceivedGoAwayBeforeSettingsError":
            self.unsent
        // `NoResult` of the handlers of TLS, SOCKS and HTTP proxies: the connection ended during the handshake.
        case _ where name.hasPrefix("AsyncHTTPClient.") && name.contains("NoResult"):
            self.unsent
        case "AsyncHTTPClient.HTTP2PushNotSupportedError",
            _ where name.hasPrefix("NIOHTTPCompression."):
            self.notHTTP
        case _ where name.hasPrefix("NIOHPACK."):
            self.lost
        case "AsyncHTTPClient.HTTPClient.NWTLSError":
            self.untrusted
        case "AsyncHTTPClient.HTTPClient.NWPOSIXError",
            _ where name.hasPrefix("NIOSOCKS."):
            self.unreachable
        default:
            .final(TransportError(.other, "The HTTP client failed with an error of another kind."))
        }
    }
}
#endif
