// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import SignetLock

/// A server on `https://localhost` that takes HTTP/2 and HTTP/1.1, whichever is agreed on (ALPN), and says what it was.
///
/// Its certificate is good for `127.0.0.1`, too.
final class TLSServer: Sendable {
    /// What clients have to trust.
    let certificate: NIOSSLCertificate
    let url: String
    let port: Int
    private let channel: any Channel
    private let seen: Seen

    /// What came.
    final class Seen: Sendable {
        private struct State {
            var connections = 0
            var versions: [HTTPVersion] = []
        }

        private let state = Locked(State())

        var connections: Int { self.state.withLock { $0.connections } }
        var versions: [HTTPVersion] { self.state.withLock { $0.versions } }

        func connected() { self.state.withLock { $0.connections += 1 } }
        func asked(_ version: HTTPVersion) { self.state.withLock { $0.versions.append(version) } }
    }

    /// Answers each request with its body.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let seen: Seen
        private var body = ByteBuffer()

        init(_ seen: Seen) {
            self.seen = seen
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch self.unwrapInboundIn(data) {
            case .head(let head):
                self.seen.asked(head.version)
                self.body.clear()
            case .body(var piece):
                self.body.writeBuffer(&piece)
            case .end:
                let headers: NIOHTTP1.HTTPHeaders = ["content-length": "\(self.body.readableBytes)"]
                let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
                context.write(self.wrapOutboundOut(.head(head)), promise: nil)
                context.write(self.wrapOutboundOut(.body(.byteBuffer(self.body))), promise: nil)
                context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }

    /// Makes a certificate for an hour with openssl(1), and listens.
    ///
    /// - Parameter protocols: What may be agreed on.
    /// - Throws: What openssl or the port says.
    init(protocols: [String] = ["h2", "http/1.1"]) async throws {
        let own = try LoopbackCertificate()
        self.certificate = own.certificate
        let (context, seen) = (try own.context(protocols: protocols), Seen())
        self.seen = seen
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                seen.connected()
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }.flatMap {
                    channel.configureCommonHTTPServerPipeline { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(Echo(seen))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = self.channel.localAddress?.port ?? 0
        self.url = "https://localhost:\(self.port)"
    }

    deinit {
        self.channel.close(promise: nil)
    }

    var connections: Int { self.seen.connections }
    var versions: [HTTPVersion] { self.seen.versions }
}
#endif
