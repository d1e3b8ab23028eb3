// SPDX-License-Identifier: Apache-2.0

import Signet

/// The leanest HTTP client there is: some threads, each with one connection that it keeps, and blocking calls.
///
/// For load against a sink on the loopback: no TLS, no time-outs, no cancellation.
final class SocketTransport: Transport {
    private struct Job: Sendable {
        let request: TransportRequest
        let continuation: CheckedContinuation<Result<TransportResponse, TransportError>, Never>
    }

    private let jobs = Channel<Job>()
    private let threads: [OSThread]

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: The sink's.
    ///   - connections: How many requests can be under way at once.
    /// - Throws: What a system call or the runtime says.
    init(port: UInt16, connections: Int) throws {
        let jobs = self.jobs
        self.threads = try (0..<connections).map { _ in
            let socket = try Socket.connect(port: port)
            return try OSThread { Self.serve(jobs, socket, port) }
        }
    }

    /// Ends the connections; after it nothing can be sent.
    func end() {
        self.jobs.end()
        for thread in self.threads { thread.join() }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let result = await withCheckedContinuation { continuation in
            self.jobs.put(Job(request: request, continuation: continuation))
        }
        return try result.get()
    }

    private static func serve(_ jobs: Channel<Job>, _ socket: Socket, _ port: UInt16) {
        defer { socket.end() }
        var answer = HTTPMessage(from: socket, room: 4096)
        while let job = jobs.take() {
            let result: Result<TransportResponse, TransportError>
            do {
                result = .success(try Self.exchange(job.request, socket, port, &answer))
            } catch {
                result = .failure(TransportError(.notConnected, "\(error)"))
            }
            job.continuation.resume(returning: result)
        }
    }

    private static func exchange(
        _ request: TransportRequest,
        _ socket: Socket,
        _ port: UInt16,
        _ answer: inout HTTPMessage
    ) throws -> TransportResponse {
        var path = request.url[...]
        if let scheme = request.url.firstIndex(of: ":"),
            let slash = request.url[scheme...].dropFirst(3).firstIndex(of: "/")
        {
            path = request.url[slash...]
        }
        var head = "\(request.method.rawValue) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for field in request.headers { head += "\(field.name): \(field.value)\r\n" }
        head += "Content-Length: \(request.body.count)\r\n\r\n"
        try head.withUTF8 { head in
            try request.body.withUnsafeBytes { try socket.send(UnsafeRawBufferPointer(head), $0) }
        }
        guard try answer.next() else { throw LoadError("the sink has ended the connection") }
        // HTTP/1.1 202 Accepted
        let words = answer.firstLine.split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { throw LoadError("no status: \(answer.firstLine)") }
        return TransportResponse(status: status, body: answer.withBody { Array($0) })
    }
}
