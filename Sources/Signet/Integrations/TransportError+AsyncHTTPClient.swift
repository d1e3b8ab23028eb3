// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClientTransport
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
package import SignetTransport

extension TransportError {
    /// Converts an error of AsyncHTTPClient and the layers below it.
    ///
    /// - Parameters:
    ///   - error: The client's error; its text may hold the URL and is not passed on.
    ///   - hasBegunAnswer: True if the head of an answer had arrived.
    package init(clientError error: any Error, hasBegunAnswer: Bool) {
        switch error {
        case is CancellationError:
            self.init(.cancelled, "The task was cancelled.")
        case let error as HTTPClientError:
            self.init(error, hasBegunAnswer: hasBegunAnswer)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(.secureConnectionFailed, "No trusted TLS connection could be made.")
        case is HTTPParserError:
            self.init(.badResponse, "The answer is not HTTP.")
        case ChannelError.connectTimeout:
            self.init(.timedOut, "The connection was not made in time.")
        case is NIOConnectionError, is IOError, is ChannelError, is SocketAddressError:
            self.init(hasBegunAnswer ? .badResponse : .notConnected, "The connection failed or was lost.")
        default:
            self.init(.other, "The HTTP client failed with an error of another kind.")
        }
    }

    private init(_ error: HTTPClientError, hasBegunAnswer: Bool) {
        switch error {
        case .cancelled, .requestStreamCancelled:
            self.init(.cancelled, "The request was cancelled.")
        case .readTimeout, .writeTimeout, .connectTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            self.init(.timedOut, "No answer arrived in time (\(error.shortDescription)).")
        case .remoteConnectionClosed where !hasBegunAnswer:
            self.init(.notConnected, "The connection was closed before an answer came.")
        case .remoteConnectionClosed, .uncleanShutdown, .invalidProxyResponse:
            self.init(.badResponse, "The answer is not HTTP, or is incomplete (\(error.shortDescription)).")
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .traceRequestWithBody,
            .identityCodingIncorrectlyPresent, .contentLengthMissing, .bodyLengthMismatch:
            self.init(.invalidRequest, "The request cannot be sent (\(error.shortDescription)).")
        case .proxyAuthenticationRequired:
            self.init(.notConnected, "The proxy requires authentication.")
        default:
            self.init(.other, "The request failed (\(error.shortDescription)).")
        }
    }
}
#endif
