// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator

/// A platform in this process that cannot be reached until it comes back: the emulator for identities, and a counter for events.
final class AbsentPlatform: Transport {
    /// What has come.
    struct Counts: Sendable {
        /// Requests that did not get through.
        var refused = 0
        var identifies = 0
        var uploads = 0
        /// Events of screens that were accepted.
        var events = 0
    }

    private struct State {
        var isThere = false
        var counts = Counts()
    }

    private let emulator = Emulator()
    private let state = Lock(State())

    var counts: Counts {
        self.state.withLock { $0.counts }
    }

    /// Answers from now on.
    func comesBack() {
        self.state.withLock { $0.isThere = true }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let isUpload = request.url.contains("/v2/")
        let events = isUpload ? Self.screens(in: request.body) : 0
        let isThere = self.state.withLock { state in
            guard state.isThere else {
                state.counts.refused += 1
                return false
            }
            if isUpload { state.counts.uploads += 1 } else { state.counts.identifies += 1 }
            state.counts.events += events
            return true
        }
        guard isThere else { throw TransportError(.notConnected, "The platform is away.") }
        return isUpload ? TransportResponse(status: 202) : try await self.emulator.transport.send(request)
    }

    private static func screens(in body: [UInt8]) -> Int {
        let word = Array(#""event_type":"screen_view""#.utf8)
        return body.withUnsafeBytes { bytes in
            var (count, index) = (0, 0)
            while index + word.count <= bytes.count {
                if bytes[index] == word[0], bytes[index..<index + word.count].elementsEqual(word) {
                    count += 1
                    index += word.count
                } else {
                    index += 1
                }
            }
            return count
        }
    }
}
