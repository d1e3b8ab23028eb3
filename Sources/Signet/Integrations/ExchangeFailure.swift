// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
package import SignetTransport

/// A failed exchange: whether the server may have processed the request, and the error to report.
package enum ExchangeFailure: Error, Sendable, Hashable {
    /// The server has certainly not processed the request.
    case notProcessed(TransportError)
    /// The server may have processed the request; no answer began.
    case unknown(TransportError)
    /// A repetition at once is pointless or not allowed.
    case final(TransportError)

    /// The error to report if the request is not sent again.
    package var error: TransportError {
        switch self {
        case .notProcessed(let error), .unknown(let error), .final(let error): error
        }
    }
}

/// The repetitions of one request: one after a try that was not processed, and one after a try that may have been.
///
/// A repetition after a lost connection may meet the end of another one before it is sent; that is not its last try.
package struct RepetitionBudget: Sendable {
    private var isRefusalAllowed = true
    private var isLossAllowed: Bool

    /// Makes the budget of a request.
    ///
    /// - Parameter isRepeatable: True if the server may receive the request twice without harm.
    package init(isRepeatable: Bool) {
        self.isLossAllowed = isRepeatable
    }

    /// Decides whether the request goes again at once, and counts it.
    ///
    /// - Parameter failure: The failure of the last try.
    /// - Returns: True if it goes again.
    package mutating func allows(_ failure: ExchangeFailure) -> Bool {
        switch failure {
        case .notProcessed:
            defer { self.isRefusalAllowed = false }
            return self.isRefusalAllowed
        case .unknown:
            defer { self.isLossAllowed = false }
            return self.isLossAllowed
        case .final:
            return false
        }
    }
}
#endif
