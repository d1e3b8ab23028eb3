// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION
import Foundation
package import SignetTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportError {
    /// Converts an error of Foundation.
    ///
    /// - Parameters:
    ///   - error: The session's error.
    ///   - hasBegunAnswer: True if the head of an answer had arrived.
    package init(_ error: any Error, hasBegunAnswer: Bool) {
        guard let error = error as? URLError else {
            self.init(.other, "The URL session failed with an error of another kind.")
            return
        }
        // The description of a URLError may hold the URL, and that may hold a key: only the number is passed on.
        let number = "URL error \(error.errorCode)"
        switch error.code {
        case .timedOut:
            self.init(.timedOut, "No answer arrived in time (\(number)).")
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .networkConnectionLost, .notConnectedToInternet,
            .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            self.init(.notConnected, "The connection failed or was lost (\(number)).")
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self.init(.secureConnectionFailed, "No trusted TLS connection could be made (\(number)).")
        case .cancelled:
            self.init(.cancelled, "The request was cancelled (\(number)).")
        case .unknown where Self.speaksOfTLS(error):
            self.init(.secureConnectionFailed, "No trusted TLS connection could be made (\(number)).")
        // "Empty reply from server": the connection was closed before a byte of the answer.
        case .badServerResponse where !hasBegunAnswer:
            self.init(.notConnected, "The connection was closed before an answer came (\(number)).")
        // Foundation on Linux reports `unknown` for most faults that curl finds in an answer, a cut body among them. It
        // reports `unsupportedURL` for an answer that is not HTTP/1 (the URL itself was checked before it was sent).
        case .unknown, .unsupportedURL, .badServerResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .cannotParseResponse, .dataLengthExceedsMaximum:
            self.init(.badResponse, "The answer is not HTTP, or is incomplete (\(number)).")
        default:
            self.init(.other, "The request failed (\(number)).")
        }
    }

    // Foundation on Linux has no number for TLS failures, only the words of curl: "SSL certificate problem: ...",
    // "OpenSSL SSL_connect: ...", "GnuTLS ...".
    private static func speaksOfTLS(_ error: URLError) -> Bool {
        let words = error.localizedDescription
        return words.contains("SSL") || words.contains("TLS") || words.contains("certificate")
    }
}
#endif
