// SPDX-License-Identifier: Apache-2.0

#if HTTP
import Signet

/// A transport that Signet ships, with the way in which bodies travel.
enum Carrier: String, Sendable, CaseIterable {
    case urlSession
    case asyncHTTPClient
    case asyncHTTPClientWithGzip

    var name: String {
        switch self {
        case .urlSession: "URLSessionTransport"
        case .asyncHTTPClient: "AsyncHTTPClientTransport"
        case .asyncHTTPClientWithGzip: "AsyncHTTPClientTransport, gzip"
        }
    }

    func make() -> any Transport {
        switch self {
        case .urlSession: URLSessionTransport()
        case .asyncHTTPClient, .asyncHTTPClientWithGzip: AsyncHTTPClientTransport()
        }
    }

    /// What it stands on, with nothing of Signet, where that may lose memory.
    var bare: (any Transport)? {
        self == .urlSession ? BareURLSession() : nil
    }

    func apply(to configuration: inout SignetConfiguration) {
        if self == .asyncHTTPClientWithGzip { configuration.events.compression = .gzip }
    }
}
#endif
