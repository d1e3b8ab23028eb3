//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// One request and its answer, whichever the service: counted, limited by the runtime's own clock, and told.
struct Exchange: Sendable {
    let transport: any Transport
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - endpoint: Its name in statistics and reports.
    ///   - limit: How long it may take.
    ///   - read: What an answer means, and as which failure it is told; called for an answer of any status.
    /// - Returns: What the answer means, or why there is none.
    func perform<Meaning>(
        _ request: TransportRequest,
        to endpoint: String,
        within limit: Duration,
        reading read: (TransportResponse) -> (meaning: Meaning, failure: SignetError.Code?)
    ) async -> Result<Meaning, SignetError> {
        let start = self.time.uptime
        self.statistics.requestSent(endpoint)
        let answer = await self.send(request, within: limit)
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
            RequestReport(endpoint: endpoint, status: status, failure: failure, duration: self.time.uptime - start)
        )
        return result
    }

    private func send(
        _ request: TransportRequest,
        within limit: Duration
    ) async -> Result<TransportResponse, SignetError> {
        let answer = await withTimeLimit(limit, on: self.time) { () -> Result<TransportResponse, SignetError>? in
            do throws(TransportError) {
                return .success(try await self.transport.send(request))
            } catch {
                return .failure(SignetError(error))
            }
        }
        return answer ?? .failure(Task.isCancelled ? .cancelled : .timedOut(after: limit))
    }
}
