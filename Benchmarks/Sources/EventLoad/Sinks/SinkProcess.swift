// SPDX-License-Identifier: Apache-2.0

import Signet

/// A ``SinkCommand`` in another process, and what it has counted.
final class SinkProcess: Sendable {
    /// What was counted.
    struct Counts: Sendable {
        let requests: Int
        let bytes: Int
        let events: Int
        /// Seconds that its process has worked.
        let processor: Double
    }

    let port: UInt16
    private let child: ChildProcess

    /// Starts it and waits for its port.
    init(in workspace: Workspace) throws {
        self.child = try ChildProcess(["sink", "--port", "0"], in: workspace)
        guard let line = self.child.readLine(), let port = UInt16(line) else {
            self.child.kill()
            throw LoadError("the sink did not start")
        }
        self.port = port
    }

    /// Asks what it has counted.
    func counts() async throws -> Counts {
        let transport = try SocketTransport(port: self.port, connections: 1)
        defer { transport.end() }
        let url = "http://127.0.0.1:\(self.port)/counts"
        let answer = try await transport.send(TransportRequest(method: .get, url: url))
        let values = String(decoding: answer.body, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard values.count == 4 else { throw LoadError("the sink does not say what it has counted") }
        return Counts(requests: values[0], bytes: values[1], events: values[2], processor: Double(values[3]) / 1e6)
    }

    /// Ends it.
    func end() {
        self.child.kill()
    }
}
