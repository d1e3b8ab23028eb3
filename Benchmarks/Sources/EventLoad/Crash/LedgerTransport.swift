// SPDX-License-Identifier: Apache-2.0

import Glibc
import Signet
import SignetEmulator

/// A platform that looks at each event before it answers: into a ledger, a file that outlives the process, or both.
final class LedgerTransport: Transport {
    private let identities = Emulator().transport
    private let state = Lock(EventLedger())
    private let file: CInt?

    /// - Parameter file: Gets what came before each answer; nil to keep it in memory.
    init(to file: CInt? = nil) {
        self.file = file
    }

    /// What came.
    var ledger: EventLedger {
        self.state.withLock { $0 }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.url.contains("/v2/") else { return try await self.identities.send(request) }
        let events = request.body.withUnsafeBytes { DeliveredEvent.all(in: $0) }
        guard let file else {
            self.state.withLock { $0.add(events) }
            return TransportResponse(status: 202)
        }
        guard let events else {
            Progress.complain("a body is no batch")
            _exit(4)
        }
        do {
            // Under the lock: the records of two requests must not mix.
            try self.state.withLock { _ throws in try DeliveredEvent.append(events, to: file) }
        } catch {
            throw TransportError(.notConnected, "\(error)")
        }
        return TransportResponse(status: 202)
    }
}
