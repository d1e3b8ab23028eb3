// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import NIOCore
import NIOHTTP2

/// The error of a stream that the server has certainly not processed.
///
/// It replaces the error of NIOHTTP2, which is the same for a stream that the server began to process.
package struct UnprocessedStream: Error {
    package init() {}
}

/// Watches one HTTP/2 connection of AsyncHTTPClient: the streams that its GOAWAY excludes, and whether it still answers.
final class HTTP2ConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// The number of streams given up in a row without a frame from the server, after which the connection gets no more.
    static let maximumSilentStreams = 3

    private var context: ChannelHandlerContext?
    private var lastStreamID: HTTP2StreamID?
    private var openStreams = 0
    private var silentStreams = 0
    private var isRetired = false

    /// Adds the watch of a new stream, and that of its connection if there is none.
    ///
    /// - Parameter stream: The channel of the stream, on its event loop.
    /// - Returns: The end of the preparation.
    static func begin(on stream: any Channel) -> EventLoopFuture<Void> {
        stream.eventLoop.makeCompletedFuture {
            guard let connection = stream.parent else { return }
            let watch = try Self.ofConnection(connection.pipeline.syncOperations)
            try stream.pipeline.syncOperations.addHandler(HTTP2StreamWatch(watch), position: .first)
        }
    }

    private static func ofConnection(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> HTTP2ConnectionWatch {
        do {
            return try pipeline.handler(type: HTTP2ConnectionWatch.self)
        } catch ChannelPipelineError.notFound {
            let watch = HTTP2ConnectionWatch()
            // Before the handlers of the client: a GOAWAY is known here when it ends streams.
            try pipeline.addHandler(watch, position: .after(pipeline.handler(type: NIOHTTP2Handler.self)))
            return watch
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .goAway(let lastStreamID, _, _) = self.unwrapInboundIn(data).payload {
            self.lastStreamID = min(lastStreamID, self.lastStreamID ?? .maxID)
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is NIOHTTP2StreamCreatedEvent: self.openStreams += 1
        case is StreamClosedEvent: self.openStreams -= 1
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// True if the error says that the server has not processed its stream.
    func isUnprocessed(_ error: any Error) -> Bool {
        guard let error = error as? NIOHTTP2Errors.StreamClosed else { return false }
        return error.errorCode == .refusedStream || self.lastStreamID.map { error.streamID > $0 } == true
    }

    /// Notes a frame from the server.
    func receivedFrame() {
        self.silentStreams = 0
    }

    /// Notes a stream that was given up, by its time limit or its task, before the server sent a frame on it.
    func gaveUpSilentStream() {
        self.silentStreams += 1
        if self.silentStreams >= Self.maximumSilentStreams { self.retire() }
    }

    /// Lets the connection end with its open streams, as a GOAWAY would; the client makes another one for the next request.
    ///
    /// The client does so by itself after a GOAWAY, so one is shown to it.
    func retire() {
        guard let context = self.context, !self.isRetired, self.lastStreamID == nil else { return }
        self.isRetired = true
        let frame = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil)
        )
        context.fireChannelRead(self.wrapInboundOut(frame))
        // The client closes the connection with its last stream, and waits for the server if there is none.
        if self.openStreams <= 0 { context.close(promise: nil) }
    }
}

/// Watches one stream, on the side of the connection.
private final class HTTP2StreamWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: HTTP2ConnectionWatch
    private var isWritten = false
    private var isAnswered = false
    private var isOver = false

    init(_ connection: HTTP2ConnectionWatch) {
        self.connection = connection
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.isWritten = true
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.isAnswered = true
        self.connection.receivedFrame()
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.isOver = true
        guard self.connection.isUnprocessed(error) else {
            context.fireErrorCaught(error)
            return
        }
        // After a refusal the connection is as good as before; the next try takes another one all the same.
        self.connection.retire()
        context.fireErrorCaught(UnprocessedStream())
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !self.isOver, !self.isWritten {
            self.isOver = true
            context.fireErrorCaught(UnprocessedStream())
        }
        self.isOver = true
        context.fireChannelInactive()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if !self.isOver, self.isWritten, !self.isAnswered {
            self.isOver = true
            self.connection.gaveUpSilentStream()
        }
        context.close(mode: mode, promise: promise)
    }
}

@available(*, unavailable) extension HTTP2ConnectionWatch: Sendable {}
@available(*, unavailable) extension HTTP2StreamWatch: Sendable {}
#endif
