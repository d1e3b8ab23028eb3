// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION
import Foundation
import Signet
import SignetTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct TransportErrorURLErrorTests {
    @Test(arguments: [
        (URLError.timedOut, TransportError.Code.timedOut),
        (.cannotFindHost, .notConnected), (.cannotConnectToHost, .notConnected), (.dnsLookupFailed, .notConnected),
        (.networkConnectionLost, .notConnected), (.notConnectedToInternet, .notConnected),
        (.internationalRoamingOff, .notConnected), (.callIsActive, .notConnected), (.dataNotAllowed, .notConnected),
        (.badServerResponse, .notConnected),
        (.secureConnectionFailed, .secureConnectionFailed), (.serverCertificateHasBadDate, .secureConnectionFailed),
        (.serverCertificateUntrusted, .secureConnectionFailed),
        (.serverCertificateHasUnknownRoot, .secureConnectionFailed),
        (.serverCertificateNotYetValid, .secureConnectionFailed), (.clientCertificateRejected, .secureConnectionFailed),
        (.clientCertificateRequired, .secureConnectionFailed),
        (.cancelled, .cancelled),
        (.unknown, .badResponse), (.unsupportedURL, .badResponse), (.cannotDecodeRawData, .badResponse),
        (.cannotDecodeContentData, .badResponse), (.cannotParseResponse, .badResponse),
        (.fileDoesNotExist, .other), (.resourceUnavailable, .other),
    ])
    func eachErrorOfFoundationHasItsCode(code: URLError.Code, expected: TransportError.Code) {
        #expect(TransportError(URLError(code), hasBegunAnswer: false).code == expected)
    }

    @Test func aBadResponseAfterTheHeadOfAnAnswerIsABadResponse() {
        #expect(TransportError(URLError(.badServerResponse), hasBegunAnswer: true).code == .badResponse)
    }

    @Test(arguments: [
        "SSL certificate problem: unable to get local issuer certificate", "OpenSSL SSL_connect: SSL_ERROR_SYSCALL",
        "GnuTLS, handshake failed", "server certificate verification failed",
    ])
    func anUnknownErrorThatSpeaksOfTLSIsNoSecureConnection(words: String) {
        let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: words])
        #expect(TransportError(error, hasBegunAnswer: false).code == .secureConnectionFailed)
    }

    @Test func whatItSaysHoldsNoAddress() {
        let address = "https://identity.example.com/v1/identify?key=us1-0123"
        let error = URLError(
            .cannotFindHost,
            userInfo: [
                NSLocalizedDescriptionKey: "Cannot find \(address)"
            ]
        )
        #expect(!TransportError(error, hasBegunAnswer: false).description.contains("us1-0123"))
    }

    @Test func anErrorOfAnotherKindIsJustAnError() {
        #expect(TransportError(CancellationError(), hasBegunAnswer: false).code == .other)
    }
}
#endif
