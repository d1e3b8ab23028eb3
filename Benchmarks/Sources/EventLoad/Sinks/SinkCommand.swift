// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Synchronization

/// A platform in a process of its own: answers 202 to everything and counts.
struct SinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract: "Takes HTTP requests on the loopback, counts them and answers 202.",
        discussion: """
            Prints its port, serves until its standard input ends. `GET /counts` answers what it has counted so far. The \
            scenarios `upload` and `pipeline` start it by themselves.
            """
    )

    @Option(help: "The port of 127.0.0.1; 0 for any.")
    var port: UInt16 = 0

    func run() async throws {
        try Orphanage.watch()
        let (listener, port) = try Socket.listen(port: self.port)
        print(port)
        fflush(nil)
        let counts = SinkCounts()
        while true {
            let socket = try listener.accept()
            try OSThread { Self.serve(socket, counts) }.detach()
        }
    }

    private static func serve(_ socket: Socket, _ counts: SinkCounts) {
        defer { socket.end() }
        var message = HTTPMessage(from: socket, room: 512 << 10)
        do {
            while try message.next() {
                guard message.firstLine.hasPrefix("GET /counts ") else {
                    message.withBody { counts.add($0) }
                    try Self.answer(socket, "202 Accepted", "")
                    continue
                }
                try Self.answer(socket, "200 OK", counts.text)
            }
        } catch {
            Progress.complain("sink: \(error)")
        }
    }

    private static func answer(_ socket: Socket, _ status: String, _ body: String) throws {
        var text = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        try text.withUTF8 { try socket.send(UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(start: nil, count: 0)) }
    }
}

/// What a sink has seen.
final class SinkCounts: Sendable {
    private let requests = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let events = Atomic<Int>(0)

    /// Counts a request.
    func add(_ body: UnsafeRawBufferPointer) {
        self.requests.add(1, ordering: .relaxed)
        self.bytes.add(body.count, ordering: .relaxed)
        self.events.add(Bytes.count("\"event_type\":", in: body), ordering: .relaxed)
    }

    /// Requests, bytes, events and microseconds of the processor so far.
    var text: String {
        "\(self.requests.load(ordering: .relaxed)) \(self.bytes.load(ordering: .relaxed)) "
            + "\(self.events.load(ordering: .relaxed)) \(Int(ProcessorTime.own * 1e6))"
    }
}
