//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import Signet
import SignetEmulator

/// Keeps what was sent, so that the emulator can be timed alone with the same requests.
final class Recorder: Transport, @unchecked Sendable {
    private let base: EmulatorTransport
    // Unchecked, because `sent` is only touched under `lock`.
    private let lock = NSLock()
    private var sent: [TransportRequest] = []

    init(_ base: EmulatorTransport) {
        self.base = base
    }

    var requests: [TransportRequest] {
        self.lock.withLock { self.sent }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        self.lock.withLock { self.sent.append(request) }
        return try await self.base.send(request)
    }
}
