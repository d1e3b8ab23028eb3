// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// Sends one request to any of the services, counts it, limits its time by the runtime's clock, and reports it.
package struct Exchange: Sendable {
    /// The time in which a transport must return after its cancellation; one that does not is left behind.
    private static let grace = Duration.seconds(1)

    package let transport: any Transport
    package let time: TimeSource
    package let observer: any SignetObserver
    package let statistics: StatisticsRecorder

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - endpoint: Its name in statistics and reports.
    ///   - template: Its path with names in place of ids, for reports.
    ///   - limit: The most time it may take.
    ///   - mayBegin: Asked by the task that sends, which may have waited for a thread; false if it is too late (`notSent`).
    ///   - read: Interprets an answer of any status, and returns the failure code to report.
    /// - Returns: The meaning of the answer, or the error.
    package func perform<Meaning>(
        _ request: TransportRequest,
        to endpoint: String,
        template: String,
        within limit: Duration,
        mayBegin: @escaping @Sendable () -> Bool = { true },
        reading read: (TransportResponse) -> (meaning: Meaning, failure: SignetError.Code?)
    ) async -> Result<Meaning, SignetError> {
        let start = self.time.uptime
        self.statistics.requestSent(endpoint)
        let answer = await self.send(request, within: limit, mayBegin)
        var status: Int?
        var failure: SignetError.Code?
        let result: Result<Meaning, SignetError>
        switch answer {
        case .success(let response):
            status = response.status
            let said = read(response)
            failure = said.failure
            result = .success(said.meaning)
        case .failure(let error):
            failure = error.code
            result = .failure(error)
        }
        self.observer.requestFinished(
            RequestReport(
                endpoint: endpoint,
                request: request,
                urlTemplate: template,
                status: status,
                failure: failure,
                duration: self.time.uptime - start
            )
        )
        return result
    }

    private func send(
        _ request: TransportRequest,
        within limit: Duration,
        _ mayBegin: @escaping @Sendable () -> Bool
    ) async -> Result<TransportResponse, SignetError> {
        let arrived = Promise<TransportResponse>()
        let answer = await withTimeLimit(limit, on: self.time) { () -> Result<TransportResponse, SignetError>? in
            await AbandonableCall.value(within: Self.grace, on: self.time) {
                guard mayBegin() else { return .failure(.tooLate) }
                do throws(TransportError) {
                    let response = try await self.transport.send(request)
                    _ = arrived.resolve(response)
                    return .success(response)
                } catch {
                    return .failure(SignetError(error))
                }
            }
        }
        if let answer { return answer }
        // The limit and the answer can come together: what the service has said is known then.
        if let response = arrived.current { return .success(response) }
        return .failure(Task.isCancelled ? .cancelled : .timedOut(after: limit))
    }
}
