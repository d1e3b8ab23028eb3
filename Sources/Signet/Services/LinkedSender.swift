// SPDX-License-Identifier: Apache-2.0

package import SignetTransport
package import SignetWire

/// Sends the requests of a service, with a limit on those in flight.
package struct LinkedSender: Sendable {
    /// The error of a request that cannot be made.
    package typealias RequestError = WireError

    private let exchange: Exchange
    private let semaphore: AsyncSemaphore
    package let timeout: Duration

    /// - Parameters:
    ///   - exchange: Sends and reports one request.
    ///   - timeout: The most time that a request may take.
    ///   - maximumInFlight: The most requests in flight; more wait in order.
    package init(_ exchange: Exchange, timeout: Duration, maximumInFlight: Int) {
        self.exchange = exchange
        self.timeout = timeout
        self.semaphore = AsyncSemaphore(places: maximumInFlight)
    }

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - endpoint: Its name in statistics and reports.
    ///   - template: Its path with names in place of ids, for reports.
    ///   - makeRequest: Makes the request when its turn has come; the parameter is the wall clock in milliseconds.
    ///   - read: Interprets an answer of any status, and returns the failure code to report.
    ///   - fail: Is told of an error in place of an answer, before the next request has its turn.
    /// - Returns: The meaning of the answer, or the error.
    package func send<Meaning: Sendable>(
        to endpoint: String,
        template: String,
        _ makeRequest: (Int64) throws(RequestError) -> TransportRequest,
        reading read: (TransportResponse, Int64) -> (meaning: Meaning, failure: SignetError.Code?),
        failing fail: (SignetError) -> Void = { _ in }
    ) async -> Result<Meaning, SignetError> {
        await self.semaphore.acquire()
        defer { self.semaphore.release() }
        let time = self.exchange.time
        let request: TransportRequest
        do throws(RequestError) {
            request = try makeRequest(time.milliseconds)
        } catch {
            return .failure(SignetError(.invalidConfiguration, error.message, cause: error))
        }
        let result = await self.exchange.perform(
            request,
            to: endpoint,
            template: template,
            within: self.timeout
        ) { response in
            read(response, time.milliseconds)
        }
        if case .failure(let error) = result { fail(error) }
        return result
    }
}
