// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetTransport

@testable import Signet

/// Gives one answer to everybody, at once or when it is told to.
final class ScriptedTransport: Transport {
    private let response: TransportResponse
    private let gate: Promise<Void>?
    private let hasArrived = Promise<Void>()
    private let sent = Locked(0)

    init(isHeld: Bool = false, response: TransportResponse) {
        self.response = response
        self.gate = isHeld ? Promise() : nil
    }

    var count: Int {
        self.sent.withLock { $0 }
    }

    func arrived() async {
        _ = await self.hasArrived.value()
    }

    func release() {
        self.gate?.resolve(())
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        self.sent.withLock { $0 += 1 }
        self.hasArrived.resolve(())
        _ = await self.gate?.value()
        return self.response
    }
}
