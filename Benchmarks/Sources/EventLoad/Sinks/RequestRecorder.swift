// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator

/// Keeps the identity requests that were sent, so that the emulator can be timed alone with the same ones.
final class RequestRecorder: Transport {
    private let base: EmulatorTransport
    private let sent = Lock<[TransportRequest]>([])

    init(_ base: EmulatorTransport) {
        self.base = base
    }

    var requests: [TransportRequest] {
        self.sent.withLock { $0 }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if request.url.contains("/v1/") { self.sent.withLock { $0.append(request) } }
        return try await self.base.send(request)
    }
}
