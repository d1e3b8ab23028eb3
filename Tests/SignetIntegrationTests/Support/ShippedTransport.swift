// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION || SIGNET_ASYNC_HTTP_CLIENT
import Signet
import SignetTransport
import Testing

/// The transports that this build has; what one does, all do.
enum ShippedTransport: String, CaseIterable, Sendable, CustomTestStringConvertible {
    #if SIGNET_URL_SESSION
    case urlSession
    #endif
    #if SIGNET_ASYNC_HTTP_CLIENT
    case asyncHTTPClient
    #endif

    static let all = Self.allCases

    func make(maximumConnectionsPerHost: Int = 64) -> any Transport {
        switch self {
        #if SIGNET_URL_SESSION
        case .urlSession: URLSessionTransport(maximumConnectionsPerHost: maximumConnectionsPerHost)
        #endif
        #if SIGNET_ASYNC_HTTP_CLIENT
        case .asyncHTTPClient: AsyncHTTPClientTransport(maximumConnectionsPerHost: maximumConnectionsPerHost)
        #endif
        }
    }

    var testDescription: String {
        self.rawValue
    }
}
#endif
