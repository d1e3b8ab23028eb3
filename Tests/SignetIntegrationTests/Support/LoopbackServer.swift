// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION || SIGNET_ASYNC_HTTP_CLIENT
import SignetLock
import Foundation
import SignetJournal
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on a loopback port that does to each request what the test says, byte by byte, and tells what it saw.
///
/// Each connection has a thread; everything ends with the server.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        var method: String
        var target: String
        /// By lower-case name; fields of one name joined by a comma.
        var headers: [String: String]
        var body: [UInt8]
    }

    enum Reaction: Sendable {
        /// Send these bytes and wait for the next request.
        case answer([UInt8])
        /// Send these bytes and close.
        case answerAndClose([UInt8])
        /// Send these bytes, then the piece again and again until the client closes; after 8 MiB, only that is waited for.
        ///
        /// Foundation on Linux reads as fast as a server writes: without an end, one test would have the machine to itself.
        case flood([UInt8], piece: [UInt8])
        /// Send these bytes, then nothing until the client closes.
        case stall([UInt8])
        /// Send these bytes one by one, each after a pause of so many milliseconds, and wait for the next request.
        ///
        /// Where there are `endless` bytes, those follow likewise, again and again until the client closes.
        case drip([UInt8], pause: Int32, endless: [UInt8] = [])
    }

    enum Sight: Sendable {
        case request(Request)
        /// The client closed the connection during a `flood`, a `stall` or a `drip`.
        case clientLeft
    }

    struct CannotListen: Error {
        let number = errno
    }

    /// What the server saw, in order.
    let sights: AsyncStream<Sight>
    let port: UInt16

    private let sight: AsyncStream<Sight>.Continuation
    private let listener: Int32
    private let connections = Locked<Set<Int32>>([])
    private let accepted = Locked(0)

    init(_ react: @escaping @Sendable (Request) -> Reaction) throws {
        (self.sights, self.sight) = AsyncStream.makeStream()
        (self.listener, self.port) = try Self.listen()
        let (listener, connections, sight, accepted) = (self.listener, self.connections, self.sight, self.accepted)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                accepted.withLock { $0 += 1 }
                connections.withLock { _ = $0.insert(connection) }
                Thread.detachNewThread {
                    Self.serve(connection, react, sight)
                    connections.withLock { _ = $0.remove(connection) }
                    close(connection)
                }
            }
            close(listener)
        }
    }

    // The threads close what they hold when the shutdown wakes them.
    deinit {
        shutdown(self.listener, Int32(SHUT_RDWR))
        self.connections.withLock { connections in
            for connection in connections {
                shutdown(connection, Int32(SHUT_RDWR))
            }
        }
        self.sight.finish()
    }

    /// How many connections clients have made.
    var connectionCount: Int {
        self.accepted.withLock { $0 }
    }

    var url: String {
        "http://127.0.0.1:\(self.port)"
    }

    /// A port of the loopback address where nobody listens.
    static func deafPort() throws -> UInt16 {
        let (listener, port) = try self.listen()
        close(listener)
        return port
    }

    private static func listen() throws -> (descriptor: Int32, port: UInt16) {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, size) == 0 && Self.startListening(descriptor)
                    && getsockname(descriptor, raw, &size) == 0
            }
        }
        guard descriptor >= 0, isListening else { throw CannotListen() }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func startListening(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        Darwin.listen(descriptor, 128) == 0
        #elseif canImport(Musl)
        Musl.listen(descriptor, 128) == 0
        #else
        Glibc.listen(descriptor, 128) == 0
        #endif
    }

    private static func serve(
        _ connection: Int32,
        _ react: @Sendable (Request) -> Reaction,
        _ sight: AsyncStream<Sight>.Continuation
    ) {
        var pending: [UInt8] = []
        while let request = Self.readRequest(from: connection, &pending) {
            sight.yield(.request(request))
            switch react(request) {
            case .answer(let bytes):
                guard Self.write(bytes, to: connection) else { return }
            case .answerAndClose(let bytes):
                _ = Self.write(bytes, to: connection)
                return
            case .flood(let bytes, let piece):
                var (isOpen, left) = (Self.write(bytes, to: connection), 8 << 20)
                while isOpen, left > 0 {
                    isOpen = Self.write(piece, to: connection)
                    left -= piece.count
                }
                while isOpen { isOpen = Self.read(from: connection, &pending) }
                sight.yield(.clientLeft)
                return
            case .stall(let bytes):
                _ = Self.write(bytes, to: connection)
                while Self.read(from: connection, &pending) {}
                sight.yield(.clientLeft)
                return
            case .drip(let bytes, let pause, let endless):
                var isOpen = Self.drip(bytes, pause, to: connection)
                while isOpen, !endless.isEmpty {
                    isOpen = Self.drip(endless, pause, to: connection)
                }
                guard isOpen else {
                    sight.yield(.clientLeft)
                    return
                }
            }
        }
    }

    private static func readRequest(from connection: Int32, _ pending: inout [UInt8]) -> Request? {
        let blankLine = Array("\r\n\r\n".utf8)
        var end = pending.firstRange(of: blankLine)
        while end == nil {
            // The first byte of a TLS handshake (RFC 8446, 5.1): whoever speaks so sends no blank line.
            if pending.first == 0x16 {
                return Request(method: "", target: "", headers: [:], body: [])
            }
            guard self.read(from: connection, &pending) else { return nil }
            end = pending.firstRange(of: blankLine)
        }
        guard let end else { return nil }
        let lines = String(decoding: pending[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        pending.removeSubrange(..<end.upperBound)
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        var request = Request(method: words[0], target: words[1], headers: [:], body: [])
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            request.headers[line[..<colon].lowercased(), default: ""] += value
        }
        let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
        while pending.count < length {
            guard self.read(from: connection, &pending) else { return nil }
        }
        request.body = Array(pending.prefix(length))
        pending.removeFirst(length)
        return request
    }

    private static func read(from connection: Int32, _ pending: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        pending += buffer.prefix(count)
        return true
    }

    private static func drip(_ bytes: [UInt8], _ pause: Int32, to connection: Int32) -> Bool {
        for byte in bytes {
            // Of no descriptor: nothing but the time is waited for.
            _ = poll(nil, 0, pause)
            guard self.write([byte], to: connection) else { return false }
        }
        return true
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
#endif
