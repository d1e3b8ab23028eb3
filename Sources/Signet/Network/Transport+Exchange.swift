//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

extension Transport {
    /// Sends one request, and waits for its answer no longer than a time of the runtime's own clock.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - limit: How long.
    ///   - time: The clock.
    /// - Returns: The answer, whatever its status, or why there is none.
    func exchange(
        _ request: TransportRequest,
        within limit: Duration,
        on time: TimeSource
    ) async -> Result<TransportResponse, SignetError> {
        let answer = await withTimeLimit(limit, on: time) { () -> Result<TransportResponse, SignetError>? in
            do throws(TransportError) {
                return .success(try await self.send(request))
            } catch {
                return .failure(SignetError(error))
            }
        }
        return answer ?? .failure(Task.isCancelled ? .cancelled : .timedOut(after: limit))
    }
}
