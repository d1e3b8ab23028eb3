// SPDX-License-Identifier: Apache-2.0

import Signet
import Synchronization

/// A platform in this process that takes every batch at once and counts: what delivery costs without a network.
final class CountingTransport: Transport {
    private let requestCount = Atomic<Int>(0)
    private let byteCount = Atomic<Int>(0)

    /// Requests answered.
    var requests: Int {
        self.requestCount.load(ordering: .relaxed)
    }

    /// Bytes of their bodies.
    var bytes: Int {
        self.byteCount.load(ordering: .relaxed)
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        self.byteCount.add(request.body.count, ordering: .relaxed)
        self.requestCount.add(1, ordering: .relaxed)
        return TransportResponse(status: 202)
    }
}
