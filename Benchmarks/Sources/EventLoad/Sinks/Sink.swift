// SPDX-License-Identifier: Apache-2.0

import Signet

/// Where uploads of a run go, and what has come there.
enum Sink: Sendable {
    case inProcess(CountingTransport)
    case http(SocketTransport, SinkProcess)

    /// The ways that there are.
    enum Kind: CaseIterable, Sendable {
        case inProcess
        case http

        var name: String {
            switch self {
            case .inProcess: "sink in this process"
            case .http: "HTTP sink in another process"
            }
        }

        /// Starts one.
        ///
        /// - Parameters:
        ///   - workspace: Where its process belongs.
        ///   - connections: How many requests can be under way at once.
        /// - Returns: The sink, ready.
        /// - Throws: What a system call or the runtime says.
        func start(in workspace: Workspace, connections: Int) throws -> Sink {
            switch self {
            case .inProcess:
                return .inProcess(CountingTransport())
            case .http:
                let process = try SinkProcess(in: workspace)
                return .http(try SocketTransport(port: process.port, connections: connections), process)
            }
        }
    }

    var transport: any Transport {
        switch self {
        case .inProcess(let transport): transport
        case .http(let transport, _): transport
        }
    }

    /// What has come, and how long the sink's own process has worked for it.
    func measures(events: Int, _ span: Span, _ results: inout Results) async throws -> [Measure] {
        switch self {
        case .inProcess(let transport):
            return [
                Measure("events a request", "", Double(events) / Double(transport.requests)),
                Measure("bytes of bodies", "MB/s", Double(transport.bytes) / span.wall / 1e6),
            ]
        case .http(_, let process):
            let counts = try await process.counts()
            // Begins and ends of sessions come too.
            if counts.events < events { results.fail("\(counts.events) of \(events) events came to the sink") }
            return [
                Measure("events a request", "", Double(counts.events) / Double(counts.requests)),
                Measure("bytes of bodies", "MB/s", Double(counts.bytes) / span.wall / 1e6),
                Measure("CPU of the sink's process per million", "s", counts.processor / Double(counts.events) * 1e6),
            ]
        }
    }

    /// Sends the same number of requests of the same size again, with nothing of Signet: the floor of an HTTP sink.
    ///
    /// - Parameters:
    ///   - connections: How many at once.
    ///   - span: What it took with Signet.
    ///   - goal: For the ratio.
    /// - Returns: Its time and the ratio; nothing for a sink in this process.
    /// - Throws: What a system call or the runtime says.
    func floor(connections: Int, _ span: Span, goal: Goal?) async throws -> [Measure] {
        guard case .http(let transport, let process) = self else { return [] }
        let requests = try await process.counts().requests
        let bytes = try await process.counts().bytes
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: bytes / max(1, requests))
        let url = "http://127.0.0.1:\(process.port)/floor"
        let request = TransportRequest(method: .post, url: url, body: body)
        let (floor, _) = try await Span.of {
            try await withThrowingTaskGroup { group in
                for connection in 0..<connections {
                    group.addTask {
                        for _ in stride(from: connection, to: requests, by: connections) {
                            _ = try await transport.send(request)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return [
            Measure("floor: same requests without Signet", "s", floor.wall),
            Measure("time / same requests without Signet", "x", span.wall / floor.wall, goal: goal),
        ]
    }

    /// Ends connections and process.
    func end() {
        guard case .http(let transport, let process) = self else { return }
        transport.end()
        process.end()
    }
}
