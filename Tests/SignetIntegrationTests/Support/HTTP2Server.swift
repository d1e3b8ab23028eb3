// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import SignetLock

/// A server on `https://localhost` that does to each HTTP/2 request what the test says, frame by frame.
final class HTTP2Server: Sendable {
    enum Reaction: Sendable {
        /// Answer with 200 and no body.
        case answer
        /// Answer the earlier requests of the connection, and send GOAWAY with the last of them.
        case goAwayBefore
        /// Send GOAWAY with this request, and close the connection without an answer.
        case goAwayAfterAndClose
        /// Reset the stream.
        case reset(HTTP2ErrorCode)
        /// Send the head of an answer, then reset the stream.
        case headAndReset(HTTP2ErrorCode)
        /// Close the connection.
        case close
        /// Send nothing.
        case silence
    }

    /// A request, as the test sees it.
    struct Request: Sendable, Hashable {
        /// The number of its connection, from 1.
        var connection: Int
        /// The number of the request on this server, from 1.
        var number: Int
        var path: String
    }

    private struct State {
        var connections = 0
        var ended = 0
        var requests: [Request] = []
    }

    let certificate: NIOSSLCertificate
    let url: String
    private let channel: any Channel
    private let state: Locked<State>

    /// Listens.
    ///
    /// - Parameter react: The reaction to each request.
    /// - Throws: The error of openssl or of the port.
    init(_ react: @escaping @Sendable (Request) -> Reaction) async throws {
        let own = try LoopbackCertificate()
        let (context, state) = (try own.context(protocols: ["h2"]), Locked(State()))
        (self.certificate, self.state) = (own.certificate, state)
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(NIOHTTP2Handler(mode: .server))
                    try pipeline.addHandler(Frames(state, react))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.url = "https://localhost:\(self.channel.localAddress?.port ?? 0)"
    }

    deinit {
        self.channel.close(promise: nil)
    }

    /// The requests, in the order of their arrival.
    var requests: [Request] { self.state.withLock { $0.requests } }

    /// The number of connections that have ended.
    var endedConnections: Int { self.state.withLock { $0.ended } }

    private final class Frames: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        typealias OutboundOut = HTTP2Frame

        private let state: Locked<State>
        private let react: @Sendable (Request) -> Reaction
        private var connection = 0
        private var lastStreamID = HTTP2StreamID.rootStream

        init(_ state: Locked<State>, _ react: @escaping @Sendable (Request) -> Reaction) {
            (self.state, self.react) = (state, react)
        }

        func channelActive(context: ChannelHandlerContext) {
            self.connection = self.state.withLock { state in
                state.connections += 1
                return state.connections
            }
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.state.withLock { $0.ended += 1 }
            context.fireChannelInactive()
        }

        // A stream that GOAWAY has ended may still get frames.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {}

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = self.unwrapInboundIn(data)
            guard case .headers(let head) = frame.payload else { return }
            let (connection, path) = (self.connection, head.headers.first(name: ":path") ?? "")
            let request = self.state.withLock { state in
                let request = Request(connection: connection, number: state.requests.count + 1, path: path)
                state.requests.append(request)
                return request
            }
            self.perform(self.react(request), on: frame.streamID, context)
        }

        private func perform(_ reaction: Reaction, on id: HTTP2StreamID, _ context: ChannelHandlerContext) {
            switch reaction {
            case .answer:
                self.lastStreamID = id
                self.send(.headers(.init(headers: [":status": "200"], endStream: true)), on: id, context)
            case .goAwayBefore:
                self.goAway(self.lastStreamID, context)
            case .goAwayAfterAndClose:
                self.goAway(id, context)
                context.close(promise: nil)
            case .reset(let code):
                self.send(.rstStream(code), on: id, context)
            case .headAndReset(let code):
                self.send(.headers(.init(headers: [":status": "200", "content-length": "9"])), on: id, context)
                self.send(.rstStream(code), on: id, context)
            case .close:
                context.close(promise: nil)
            case .silence:
                break
            }
        }

        private func goAway(_ last: HTTP2StreamID, _ context: ChannelHandlerContext) {
            self.send(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil), on: .rootStream, context)
        }

        private func send(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID, _ context: ChannelHandlerContext) {
            context.writeAndFlush(self.wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
        }
    }
}
#endif
