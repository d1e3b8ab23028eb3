// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetTransport

/// What went over the wire, of all processes of a simulation, as the wire sees it.
final class NetworkLedger: Sendable {
    private struct State {
        /// The ids of all batches that were sent.
        var known: Set<String> = []
        /// The bytes of each batch that was sent alone, by its id.
        var batches: [String: [UInt8]] = [:]
        /// Which installation a user was given to, by its stamp.
        var owners: [String: String] = [:]
        /// How often an answer has named a user.
        var named: [String: Int] = [:]
        var identityInFlight: [String: Int] = [:]
        var batchesInFlight: [String: Int] = [:]
        /// Whether a loss of power may have made an installation forgotten, which then has two names: its batches, and
        /// those without a stamp, do not wait for each other.
        var hasForgotten = false
        /// Whether anybody was to be erased: only then may a batch come again with other bytes.
        var hasErased = false
        var refused: Set<Int64> = []
        /// Events that were sent at least once.
        var sent: Set<Int64> = []
        var violations: [String] = []
        var reached: [String: Int] = [:]
    }

    private let state = Locked(State())

    /// What must not be.
    var violations: [String] {
        self.state.withLock { $0.violations }
    }

    /// What was seen, and how often.
    var reached: [String: Int] {
        self.state.withLock { $0.reached }
    }

    /// Events of batches that the platform has refused for good.
    var refused: Set<Int64> {
        self.state.withLock { $0.refused }
    }

    /// How often an answer has named a user.
    func named(_ mpid: MPID) -> Int {
        self.state.withLock { $0.named[mpid.description] ?? 0 }
    }

    /// Events that were sent at least once.
    var sent: Set<Int64> {
        self.state.withLock { $0.sent }
    }

    /// Whoever is erased may leave a batch on the wire, behind which others go.
    func mayAbandon() {
        self.state.withLock { state in
            state.hasErased = true
            if state.batchesInFlight.values.contains(where: { $0 > 0 }) { state.hasForgotten = true }
        }
    }

    /// Counts something that a simulation should come to.
    func reach(_ what: String, _ count: Int = 1) {
        self.state.withLock { $0.reached[what, default: 0] += count }
    }

    /// How many batches are under way.
    var batchesInFlight: Int {
        self.state.withLock { $0.batchesInFlight.values.reduce(0, +) }
    }

    /// The process has died: nothing of it is under way any more.
    func forgetInFlight() {
        self.state.withLock { state in
            state.identityInFlight = [:]
            state.batchesInFlight = [:]
        }
    }

    /// The power was lost.
    func powerLost() {
        self.state.withLock { $0.hasForgotten = true }
    }

    // MARK: - One exchange

    /// A request goes out.
    func begin(_ exchange: Exchange) {
        self.state.withLock { state in
            for batch in exchange.batches {
                state.sent.formUnion(batch.events)
                if state.known.contains(batch.id) { state.reached["batch sent again", default: 0] += 1 }
                state.known.insert(batch.id)
                if let bytes = batch.bytes {
                    if let before = state.batches.updateValue(bytes, forKey: batch.id),
                        before != bytes, !(state.hasErased && ErasedBatch.isPossible(before, bytes))
                    {
                        state.violations.append("batch \(batch.id) has other bytes now")
                    }
                }
                state.batchesInFlight[batch.stamp, default: 0] += 1
                if state.batchesInFlight[batch.stamp, default: 0] > 1, !state.hasForgotten {
                    state.violations.append("two batches of one installation at once")
                }
            }
            if exchange.batches.count > 1 { state.reached["bulk requests", default: 0] += 1 }
            if let key = exchange.installation ?? exchange.user.flatMap({ state.owners[$0] }) {
                state.identityInFlight[key, default: 0] += 1
                if state.identityInFlight[key, default: 0] > 1 {
                    state.violations.append("two identity requests of one installation at once")
                }
            }
        }
    }

    /// An answer came in, or none.
    func end(_ exchange: Exchange, _ result: Result<TransportResponse, TransportError>) {
        let status = if case .success(let response) = result { response.status } else { 0 }
        self.state.withLock { state in
            state.reached["status \(status)", default: 0] += 1
            for batch in exchange.batches {
                state.batchesInFlight[batch.stamp, default: 0] -= 1
                // Of several, each is asked about again.
                if exchange.batches.count == 1, (400..<500).contains(status), ![401, 403, 429].contains(status) {
                    state.refused.formUnion(batch.events)
                }
                if [401, 403].contains(status) { state.reached["uploads unauthorized", default: 0] += 1 }
            }
            if let key = exchange.installation ?? exchange.user.flatMap({ state.owners[$0] }) {
                state.identityInFlight[key, default: 0] -= 1
                if case .success(let response) = result, let mpid = Exchange.mpid(in: response.body) {
                    state.owners[mpid] = key
                    state.named[mpid, default: 0] += 1
                }
            }
        }
    }
}
