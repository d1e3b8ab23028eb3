// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, or is idle for too long.
///
/// The deadlines are for the whole header and the whole body: a client that sends single bytes does not postpone them.
/// During an answer, the deadline is for the client's reading: each piece that is sent postpones it.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let head: TimeAmount
    private let body: TimeAmount
    private let answer: TimeAmount
    private var scheduled: Scheduled<Void>?
    private var stalled: Scheduled<Void>?
    /// The number of answer pieces that the client has not read yet.
    private var unsent = 0
    /// The number of requests that began and are not answered yet.
    private var unanswered = 0

    init(head: Duration, body: Duration, answer: Duration) {
        self.head = TimeAmount(head)
        self.body = TimeAmount(body)
        self.answer = TimeAmount(answer)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { self.arm(self.head, context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.arm(self.head, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.disarm()
        self.stalled?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.disarm()
        self.stalled?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head:
            self.unanswered += 1
            self.arm(self.body, context)
        case .body:
            break
        case .end:
            // An answer may end before its request does; then the deadline is for the next head.
            if self.unanswered <= 0 { self.arm(self.head, context) } else { self.disarm() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = self.unwrapOutboundIn(data) {
            self.unanswered -= 1
            if self.unanswered <= 0 { self.arm(self.head, context) }
        }
        let written = promise ?? context.eventLoop.makePromise()
        self.unsent += 1
        if self.unsent == 1 { self.watch(context.channel) }
        let channel = context.channel
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.unsent -= 1
            self.watch(channel)
        }
        context.write(data, promise: written)
    }

    /// Restarts the deadline for the client's reading if pieces are unsent.
    private func watch(_ channel: any Channel) {
        self.stalled?.cancel()
        self.stalled = nil
        guard self.unsent > 0, channel.isActive else { return }
        self.stalled = channel.eventLoop.scheduleTask(in: self.answer) { channel.close(promise: nil) }
    }

    private func arm(_ delay: TimeAmount, _ context: ChannelHandlerContext) {
        self.disarm()
        let channel = context.channel
        self.scheduled = context.eventLoop.scheduleTask(in: delay) { channel.close(promise: nil) }
    }

    private func disarm() {
        self.scheduled?.cancel()
        self.scheduled = nil
    }
}
#endif
