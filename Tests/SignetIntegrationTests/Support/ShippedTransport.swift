// SPDX-License-Identifier: Apache-2.0

#if URLSessionTransport || AsyncHTTPClientTransport
import Signet
import SignetTransport
import Testing

/// The transports that this build has; what one does, all do.
enum ShippedTransport: String, CaseIterable, Sendable, CustomTestStringConvertible {
    #if URLSessionTransport
    case urlSession
    #endif
    #if AsyncHTTPClientTransport
    case asyncHTTPClient
    #endif

    static let all = Self.allCases

    func make(maximumConnectionsPerHost: Int = 64) -> any Transport {
        switch self {
        #if URLSessionTransport
        case .urlSession: URLSessionTransport(maximumConnectionsPerHost: maximumConnectionsPerHost)
        #endif
        #if AsyncHTTPClientTransport
        case .asyncHTTPClient: AsyncHTTPClientTransport(maximumConnectionsPerHost: maximumConnectionsPerHost)
        #endif
        }
    }

    var testDescription: String {
        self.rawValue
    }
}
#endif
