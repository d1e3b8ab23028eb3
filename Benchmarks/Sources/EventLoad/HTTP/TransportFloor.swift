// SPDX-License-Identifier: Apache-2.0

#if HTTP
import Signet

/// Requests by themselves, without a runtime: what a transport takes.
struct TransportFloor {
    let transport: any Transport
    let request: TransportRequest
    let connections: Int

    /// Sends a request so many times, some at once.
    func send(_ requests: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in 0..<self.connections {
                group.addTask {
                    for _ in stride(from: connection, to: requests, by: self.connections) {
                        _ = try await self.transport.send(self.request)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// How many bytes a request leaves allocated for good.
    func memoryKept(by requests: Int) async throws -> Double {
        try await self.send(requests / 10)
        let before = try await self.memoryAtRest()
        try await self.send(requests)
        return Double(try await self.memoryAtRest() - before) / Double(requests)
    }

    // Timers of requests that were answered are held until they would have fired.
    private func memoryAtRest() async throws -> Int {
        try await Task.sleep(for: self.request.timeout + .seconds(1))
        return Memory.inUse()
    }
}
#endif
