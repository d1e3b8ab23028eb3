// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import NIOCore
import NIOPosix
import SignetTransport
import Testing

/// A connection that sends bytes as they are, be they HTTP or not, and reads whatever comes until the server closes it.
enum HTTPConnection {
    /// Sends each part when `pause` lets it, and reads until the server closes the connection.
    static func exchange(
        _ parts: [[UInt8]],
        with url: String,
        between pause: @Sendable () async throws -> Void = {}
    ) async throws -> [UInt8] {
        try await Self.connect(to: url).executeThenClose { inbound, outbound in
            async let answer = Self.read(inbound)
            do {
                for (index, part) in parts.enumerated() {
                    if index > 0 { try await pause() }
                    try await outbound.write(ByteBuffer(bytes: part))
                }
            } catch is ChannelError {
                // The server hung up first; what it said is still to be read.
            } catch is IOError {
            }
            return await answer
        }
    }

    /// Sends the rest when something has come back, and reads until the server closes the connection.
    static func exchangeAfterAnswer(_ head: [UInt8], then rest: [UInt8], with url: String) async throws -> [UInt8] {
        try await Self.connect(to: url).executeThenClose { inbound, outbound in
            var answer: [UInt8] = []
            var isRestSent = false
            do {
                try await outbound.write(ByteBuffer(bytes: head))
                for try await piece in inbound {
                    answer += Array(buffer: piece)
                    if !isRestSent { try await outbound.write(ByteBuffer(bytes: rest)) }
                    isRestSent = true
                }
            } catch is IOError {
            } catch is ChannelError {
                // Hung up on before it was sent, on a busy machine.
            }
            return answer
        }
    }

    /// Reads nothing before all is sent, then until the server closes the connection.
    static func exchangeAfterSending(_ parts: [[UInt8]], with url: String) async throws -> [UInt8] {
        // The answer and the end may be here before all is sent.
        try await Self.connect(to: url, mayEndHalf: true).executeThenClose { inbound, outbound in
            for part in parts { try await outbound.write(ByteBuffer(bytes: part)) }
            return await Self.read(inbound)
        }
    }

    /// Sends, and reads nothing; the connection stays open on this side.
    static func sendAndNeverRead(_ bytes: [UInt8], to url: String) async throws {
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .connect(host: "127.0.0.1", port: port)
            .get()
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    private static func connect(
        to url: String,
        mayEndHalf: Bool = false
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: mayEndHalf)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// The request as a client would send it, on a connection of its own; nil when the server closed it without an answer.
    static func send(_ request: TransportRequest, to url: String, path: String) async throws -> HTTPAnswer? {
        let host = url.dropFirst("http://".count)
        var head = "\(request.method.rawValue) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        for field in request.headers { head += "\(field.name): \(field.value)\r\n" }
        head += "Content-Length: \(request.body.count)\r\n\r\n"
        return HTTPAnswer(try await Self.exchange([Array(head.utf8) + request.body], with: url))
    }

    /// The same for texts.
    static func send(
        _ method: TransportRequest.Method,
        _ path: String,
        _ body: String = "",
        headers: [(String, String)] = [],
        to url: String
    ) async throws -> HTTPAnswer? {
        var request = TransportRequest(method: method, url: url, body: Array(body.utf8))
        for (name, value) in headers { request.headers.append(name: name, value: value) }
        return try await Self.send(request, to: url, path: path)
    }

    private static func read(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await buffer in inbound { bytes += buffer.readableBytesView }
        } catch {
            // A reset instead of an end: the server hung up.
        }
        return bytes
    }
}
#endif
