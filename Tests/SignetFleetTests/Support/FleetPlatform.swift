// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetEmulator
import SignetFleetSupport
import SignetLock
import SignetTransport

/// The emulator over HTTP, which counts by itself what is in flight.
///
/// Each connection has a thread; requests pass through the emulator's faults.
final class FleetPlatform: Sendable {
    /// An identity request that arrived.
    struct IdentityCall: Sendable {
        /// Such as `login`.
        let route: String
        /// The device application stamp; of a modify, which has none, the path.
        let installation: String
        /// True if another one of the installation was in flight when this one arrived.
        let overlapped: Bool
    }

    private struct Counts {
        var inFlight: [String: Int] = [:]
        var calls: [IdentityCall] = []
        var connections: Set<Int32> = []
    }

    let emulator = Emulator()
    let url: String
    private let listener: Int32
    private let counts: Locked<Counts>

    init() throws {
        let (listener, port) = try LoopbackSocket.listen()
        let (emulator, counts) = (self.emulator, Locked(Counts()))
        (self.listener, self.counts, self.url) = (listener, counts, "http://127.0.0.1:\(port)")
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                counts.withLock { _ = $0.connections.insert(connection) }
                Thread.detachNewThread {
                    Self.serve(connection, emulator, counts)
                    counts.withLock { _ = $0.connections.remove(connection) }
                    close(connection)
                }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(self.listener, Int32(SHUT_RDWR))
        self.counts.withLock { for connection in $0.connections { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    // MARK: - Counts

    /// Identity requests in the order of their arrival.
    var identityCalls: [IdentityCall] {
        self.counts.withLock { $0.calls }
    }

    /// The number of identity requests of an installation that are in flight now.
    func inFlight(_ installation: String) -> Int {
        self.counts.withLock { $0.inFlight[installation] ?? 0 }
    }

    /// The events of all users, each delivery in a batch of its own counted.
    var events: [EmulatedEvent] {
        self.emulator.users().flatMap { self.emulator.events(of: $0.mpid) }
    }

    /// The number of custom events by name.
    var customEvents: [String: Int] {
        self.events.filter { $0.type == "custom_event" }.reduce(into: [:]) { $0[$1.name ?? "", default: 0] += 1 }
    }

    /// The number of events of a type, such as `session_end`, by session.
    func perSession(_ type: String) -> [String: Int] {
        self.events.filter { $0.type == type }
            .reduce(into: [:]) { $0[$1.sessionUUID?.lowercased() ?? "", default: 0] += 1 }
    }

    // MARK: - HTTP

    private static func serve(_ connection: Int32, _ emulator: Emulator, _ counts: Locked<Counts>) {
        var pending: [UInt8] = []
        while let request = Self.request(from: connection, &pending) {
            let call = Self.begin(request, counts)
            let answer = Locked<TransportResponse?>(nil)
            let isAnswered = DispatchSemaphore(value: 0)
            // The thread of a connection waits; the emulator's faults are asynchronous.
            Task {
                let response: TransportResponse?
                do { response = try await emulator.transport.send(request) } catch { response = nil }
                answer.withLock { $0 = response }
                isAnswered.signal()
            }
            isAnswered.wait()
            if let call { counts.withLock { $0.inFlight[call, default: 1] -= 1 } }
            // Without an answer the connection breaks.
            guard let answer = answer.withLock({ $0 }), LoopbackSocket.write(Self.bytes(of: answer), to: connection)
            else { return }
        }
    }

    private static func begin(_ request: TransportRequest, _ counts: Locked<Counts>) -> String? {
        let path = request.url.split(separator: "/").dropFirst(2).map(String.init)
        guard let route = path.last, ["identify", "login", "logout", "search", "modify"].contains(route) else {
            return nil
        }
        let stamp = JSONReader.value(request.body)?["known_identities"]?["device_application_stamp"]?.string
        let installation = stamp?.lowercased() ?? path.joined(separator: "/")
        counts.withLock { counts in
            let others = counts.inFlight[installation] ?? 0
            counts.inFlight[installation] = others + 1
            counts.calls.append(IdentityCall(route: route, installation: installation, overlapped: others > 0))
        }
        return installation
    }

    private static func request(from connection: Int32, _ pending: inout [UInt8]) -> TransportRequest? {
        let blankLine = Array("\r\n\r\n".utf8)
        while pending.firstRange(of: blankLine) == nil {
            let bytes = LoopbackSocket.read(connection)
            guard !bytes.isEmpty else { return nil }
            pending += bytes
        }
        guard let end = pending.firstRange(of: blankLine) else { return nil }
        let lines = String(decoding: pending[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        pending.removeSubrange(..<end.upperBound)
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        guard words.count == 3, let method = TransportRequest.Method(rawValue: words[0]) else { return nil }
        var request = TransportRequest(method: method, url: "http://emulator\(words[1])", responseLimit: .max)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            request.headers.append(name: String(line[..<colon]), value: value)
        }
        if request.headers.values(of: "expect").contains("100-continue") {
            LoopbackSocket.write("HTTP/1.1 100 Continue\r\n\r\n".utf8, to: connection)
        }
        let length = request.headers.values(of: "content-length").first.flatMap { Int($0) } ?? 0
        while pending.count < length {
            let bytes = LoopbackSocket.read(connection)
            guard !bytes.isEmpty else { return nil }
            pending += bytes
        }
        request.body = Array(pending.prefix(length))
        pending.removeFirst(length)
        return request
    }

    private static func bytes(of response: TransportResponse) -> [UInt8] {
        var head = "HTTP/1.1 \(response.status) Answer\r\nContent-Length: \(response.body.count)\r\n"
        for field in response.headers where field.name.lowercased() != "content-length" {
            head += "\(field.name): \(field.value)\r\n"
        }
        return Array((head + "\r\n").utf8) + response.body
    }
}
#endif
