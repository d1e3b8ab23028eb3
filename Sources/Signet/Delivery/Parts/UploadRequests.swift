// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The requests on the wire, with the batches of each.
struct UploadRequests: Sendable {
    typealias Request = UploadStateMachine.Request

    private var requests: [Int: Request] = [:]
    private var nextNumber = 0

    var isEmpty: Bool {
        self.requests.isEmpty
    }

    var count: Int {
        self.requests.count
    }

    /// Begins a request with these batches.
    mutating func begin(_ batches: [UUID]) -> Request {
        let request = Request(number: self.nextNumber, batches: batches)
        self.nextNumber += 1
        self.requests[request.number] = request
        return request
    }

    /// Ends a request; nil if it has ended before.
    mutating func end(_ number: Int) -> Request? {
        self.requests.removeValue(forKey: number)
    }

    /// Returns true if a request has such a batch.
    func contains(where isMeant: (UUID) -> Bool) -> Bool {
        self.requests.values.contains { $0.batches.contains(where: isMeant) }
    }

    /// Replaces a batch by another one in its request.
    mutating func replace(_ id: UUID, by other: UUID) {
        for request in self.requests.values where request.batches.contains(id) {
            let batches = request.batches.map { $0 == id ? other : $0 }
            self.requests[request.number] = Request(number: request.number, batches: batches)
        }
    }

    /// Takes a batch out of a request that was not sent.
    ///
    /// - Parameters:
    ///   - id: The id of the batch.
    ///   - number: The number of the request.
    /// - Returns: The rest of the request; nil if no batch of it is left: then it has ended.
    mutating func takeOut(_ id: UUID, of number: Int) -> Request? {
        guard let request = self.requests[number] else { return nil }
        let left = request.batches.filter { $0 != id }
        self.requests[number] = left.isEmpty ? nil : Request(number: number, batches: left)
        return self.requests[number]
    }
}
