// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Signet
import SignetTestSupport
import SignetTransport
import Testing

/// The reading of each error of AsyncHTTPClient and the layers below it, but of those that only their modules can make
/// (`NIOSSLCloseTimedOutError`, `NIOConnectionError`, `SocketAddressError.UnknownHost`).
@Suite(.watched) struct ExchangeFailureTests {
    /// What a row of the table says.
    enum Reading: Hashable {
        case notProcessed
        case unknown
        case final(TransportError.Code)

        init(_ failure: ExchangeFailure) {
            switch failure {
            case .notProcessed: self = .notProcessed
            case .unknown: self = .unknown
            case .final(let error): self = .final(error.code)
            }
        }
    }

    private static let handshakeEnd = BoringSSLError.sslError([.eofDuringHandshake])
    private static let validationEnd = BoringSSLError.sslError([.eofDuringAdditionalCertficiateChainValidation])

    private static let clientErrors: [(any Error, Reading)] = [
        (HTTPClientError.cancelled, .notProcessed),
        (HTTPClientError.remoteConnectionClosed, .unknown),
        (HTTPClientError.uncleanShutdown, .unknown),
        (HTTPClientError.requestStreamCancelled, .unknown),
        (HTTPClientError.readTimeout, .final(.timedOut)),
        (HTTPClientError.writeTimeout, .final(.timedOut)),
        (HTTPClientError.connectTimeout, .final(.timedOut)),
        (HTTPClientError.deadlineExceeded, .final(.timedOut)),
        (HTTPClientError.getConnectionFromPoolTimeout, .final(.timedOut)),
        (HTTPClientError.tlsHandshakeTimeout, .final(.timedOut)),
        (HTTPClientError.httpProxyHandshakeTimeout, .final(.timedOut)),
        (HTTPClientError.socksHandshakeTimeout, .final(.timedOut)),
        (HTTPClientError.invalidProxyResponse, .final(.badResponse)),
        (HTTPClientError.redirectLimitReached, .final(.badResponse)),
        (HTTPClientError.redirectCycleDetected, .final(.badResponse)),
        (HTTPClientError.invalidURL, .final(.invalidRequest)),
        (HTTPClientError.emptyHost, .final(.invalidRequest)),
        (HTTPClientError.emptyScheme, .final(.invalidRequest)),
        (HTTPClientError.missingSocketPath, .final(.invalidRequest)),
        (HTTPClientError.unsupportedScheme("gopher"), .final(.invalidRequest)),
        (HTTPClientError.traceRequestWithBody, .final(.invalidRequest)),
        (HTTPClientError.identityCodingIncorrectlyPresent, .final(.invalidRequest)),
        (HTTPClientError.contentLengthMissing, .final(.invalidRequest)),
        (HTTPClientError.bodyLengthMismatch, .final(.invalidRequest)),
        (HTTPClientError.invalidHeaderFieldNames(["a b"]), .final(.invalidRequest)),
        (HTTPClientError.invalidHeaderFieldValues(["\n"]), .final(.invalidRequest)),
        (HTTPClientError.proxyAuthenticationRequired, .final(.notConnected)),
        (HTTPClientError.serverOfferedUnsupportedApplicationProtocol("h9"), .final(.secureConnectionFailed)),
        (HTTPClientError.alreadyShutdown, .final(.other)),
        (HTTPClientError.writeAfterRequestSent, .final(.other)),
        (HTTPClientError.shutdownUnsupported, .final(.other)),
        (HTTPClientError.invalidRedirectConfiguration, .final(.other)),
        (HTTPClientError.invalidHTTPVersionConfiguration, .final(.other)),
        (HTTPClientError.invalidDNSOverridesConfiguration, .final(.other)),
        (HTTPClientError.invalidLocalAddress, .final(.other)),
        (HTTPClientError.invalidProxyConfiguration, .final(.other)),
    ]

    private static let http2Errors: [(any Error, Reading)] = [
        (UnprocessedStream(), .notProcessed),
        (NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .refusedStream), .notProcessed),
        (NIOHTTP2Errors.createdStreamAfterGoaway(), .notProcessed),
        (NIOHTTP2Errors.noStreamIDAvailable(), .notProcessed),
        (NIOHTTP2Errors.maxStreamsViolation(), .notProcessed),
        (
            NIOHTTP2Errors.streamError(
                streamID: 1,
                baseError: NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .refusedStream)
            ), .notProcessed
        ),
        (NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .cancel), .unknown),
        (NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .noError), .unknown),
        (NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .internalError), .unknown),
        (NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .enhanceYourCalm), .unknown),
        (NIOHTTP2Errors.streamError(streamID: 1, baseError: NIOHTTP2Errors.excessiveRSTFrames()), .unknown),
        (NIOHTTP2Errors.ioOnClosedConnection(), .unknown),
        (NIOHTTP2Errors.noSuchStream(streamID: 1), .unknown),
        (NIOHTTP2Errors.unableToParseFrame(), .unknown),
        (NIOHTTP2Errors.flowControlViolation(), .unknown),
        (NIOHTTP2Errors.invalidALPNToken(), .unknown),
        (NIOHTTP2Errors.receivedBadSettings(), .unknown),
        (NIOHTTP2Errors.raisedGoawayLastStreamID(), .unknown),
        (NIOHTTP2Errors.excessiveOutboundFrameBuffering(), .unknown),
        (NIOHTTP2Errors.missingPseudoHeader(":status"), .unknown),
        (NIOHTTP2Errors.contentLengthViolated(), .unknown),
    ]

    private static let channelErrors: [(any Error, Reading)] = [
        (ChannelError.ioOnClosedChannel, .notProcessed),
        (ChannelError.alreadyClosed, .unknown),
        (ChannelError.outputClosed, .unknown),
        (ChannelError.inputClosed, .unknown),
        (ChannelError.eof, .unknown),
        (ChannelError.inappropriateOperationForState, .unknown),
        (ChannelError.connectTimeout(.seconds(1)), .final(.timedOut)),
        (ChannelError.connectPending, .final(.notConnected)),
        (ChannelError.unknownLocalAddress, .final(.notConnected)),
        (ChannelError.writeHostUnreachable, .final(.notConnected)),
        (ChannelError.operationUnsupported, .final(.other)),
        (ChannelError.writeMessageTooLarge, .final(.other)),
        (ChannelError.badMulticastGroupAddressFamily, .final(.other)),
        (ChannelError.badInterfaceAddressFamily, .final(.other)),
        (ChannelError.unremovableHandler, .final(.other)),
        (IOError(errnoCode: ECONNRESET, reason: "read"), .unknown),
        (IOError(errnoCode: ECONNABORTED, reason: "read"), .unknown),
        (IOError(errnoCode: EPIPE, reason: "write"), .unknown),
        (IOError(errnoCode: ENOTCONN, reason: "read"), .unknown),
        (IOError(errnoCode: EBADF, reason: "read"), .unknown),
        (IOError(errnoCode: ECONNREFUSED, reason: "connect"), .final(.notConnected)),
        (IOError(errnoCode: EHOSTUNREACH, reason: "connect"), .final(.notConnected)),
        (IOError(errnoCode: EMFILE, reason: "socket"), .final(.notConnected)),
        (SocketAddressError.unsupported, .final(.notConnected)),
    ]

    private static let otherErrors: [(any Error, Reading)] = [
        (NIOSSLError.handshakeFailed(Self.handshakeEnd), .notProcessed),
        (NIOSSLError.handshakeFailed(Self.validationEnd), .notProcessed),
        (NIOSSLError.handshakeFailed(.sslError([])), .final(.secureConnectionFailed)),
        (NIOSSLError.uncleanShutdown, .unknown),
        (NIOSSLError.writeDuringTLSShutdown, .unknown),
        (NIOSSLError.readInInvalidTLSState, .unknown),
        (NIOSSLError.shutdownFailed(.sslError([])), .unknown),
        (NIOSSLError.noCertificateToValidate, .final(.secureConnectionFailed)),
        (NIOSSLError.unableToValidateCertificate, .final(.secureConnectionFailed)),
        (NIOSSLError.cannotFindPeerIP, .final(.secureConnectionFailed)),
        (NIOSSLError.cannotMatchULabel, .final(.secureConnectionFailed)),
        (NIOSSLError.failedToLoadCertificate, .final(.secureConnectionFailed)),
        (NIOSSLError.failedToLoadPrivateKey, .final(.secureConnectionFailed)),
        (BoringSSLError.zeroReturn, .unknown),
        (BoringSSLError.syscallError, .unknown),
        (BoringSSLError.sslError([]), .final(.secureConnectionFailed)),
        (BoringSSLError.unknownError([]), .final(.secureConnectionFailed)),
        (NIOSSLExtraError.failedToValidateHostname, .final(.secureConnectionFailed)),
        (NIOTLSUnwrappingError.alreadyClosed, .final(.secureConnectionFailed)),
        (HTTPParserError.invalidEOFState, .final(.badResponse)),
        (HTTPParserError.invalidConstant, .final(.badResponse)),
        (HTTPParserError.headerOverflow, .final(.badResponse)),
        (CancellationError(), .unknown),
        (CocoaError(.featureUnsupported), .final(.other)),
    ]

    @Test func eachErrorOfTheLayersBelowHasItsReading() {
        for (error, reading) in Self.clientErrors + Self.http2Errors + Self.channelErrors + Self.otherErrors {
            let failure = ExchangeFailure(error, hasBegunAnswer: false, isCancelled: false)
            #expect(Reading(failure) == reading, "\(error)")
            if reading == .notProcessed || reading == .unknown {
                #expect(failure.error.code == .notConnected, "\(error)")
            }
        }
    }

    @Test(arguments: [
        ("AsyncHTTPClient.HTTP2ReceivedGoAwayBeforeSettingsError", Reading.notProcessed),
        ("AsyncHTTPClient.TLSEventsHandler.(unknown context at $1).(unknown context at $2).NoResult", .notProcessed),
        ("AsyncHTTPClient.HTTP2PushNotSupportedError", .final(.badResponse)),
        ("NIOHTTPCompression.NIOHTTPDecompression.DecompressionError", .final(.badResponse)),
        ("NIOHPACK.NIOHPACKErrors.InvalidHeaderIndex", .unknown),
        ("AsyncHTTPClient.HTTPClient.NWTLSError", .final(.secureConnectionFailed)),
        ("AsyncHTTPClient.HTTPClient.NWPOSIXError", .final(.notConnected)),
        ("NIOSOCKS.SOCKSError.ConnectionFailed", .final(.notConnected)),
        ("Swift.DecodingError", .final(.other)),
    ])
    func anErrorThatCannotBeNamedIsReadByTheNameOfItsType(name: String, reading: Reading) {
        #expect(Reading(.reading(ofTypeNamed: name)) == reading)
    }

    @Test(arguments: [
        ("Unsupported scheme", Reading.final(.invalidRequest)), ("Invalid header field names", .final(.invalidRequest)),
        ("Incompatible headers", .final(.invalidRequest)),
        ("Chunked specified multiple times", .final(.invalidRequest)),
        ("HTTP end received after head with 1xx", .final(.badResponse)), ("Something new", .final(.other)),
    ])
    func anErrorOfTheClientWithoutAConstantIsReadByItsName(name: String, reading: Reading) {
        #expect(Reading(.reading(ofErrorNamed: name)) == reading)
    }

    @Test func afterTheHeadOfAnAnswerNothingGoesAgain() {
        for (error, reading) in Self.clientErrors + Self.http2Errors + Self.channelErrors + Self.otherErrors {
            let failure = ExchangeFailure(error, hasBegunAnswer: true, isCancelled: false)
            switch reading {
            case .notProcessed, .unknown, .final(.notConnected):
                #expect(Reading(failure) == .final(.badResponse), "\(error)")
            case .final: #expect(Reading(failure) == reading, "\(error)")
            }
        }
    }

    @Test func onlyACancelledTaskIsCancelled() {
        for (error, _) in Self.clientErrors + Self.http2Errors + Self.channelErrors + Self.otherErrors {
            let cancelled = ExchangeFailure(error, hasBegunAnswer: false, isCancelled: true)
            #expect(Reading(cancelled) == .final(.cancelled), "\(error)")
            let others = [false, true].map { ExchangeFailure(error, hasBegunAnswer: $0, isCancelled: false) }
            #expect(!others.contains { $0.error.code == .cancelled }, "\(error)")
        }
    }

    @Test func whatWasNotProcessedGoesAgainOnceAndWhatMayHaveBeenOnceIfRepeatable() {
        let error = TransportError(.notConnected, "lost")
        func decisions(_ failures: [ExchangeFailure], isRepeatable: Bool) -> [Bool] {
            var budget = RepetitionBudget(isRepeatable: isRepeatable)
            return failures.map { budget.allows($0) }
        }
        let both: [ExchangeFailure] = [.unknown(error), .notProcessed(error), .unknown(error), .notProcessed(error)]
        #expect(decisions(both, isRepeatable: true) == [true, true, false, false])
        #expect(decisions(both, isRepeatable: false) == [false, true, false, false])
        #expect(decisions([.final(error)], isRepeatable: true) == [false])
    }
}
#endif
