//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client takes too long over a request, or is idle for too long.
///
/// The deadlines are for a whole header and a whole body: a client that sends a byte now and then does not push them off.
/// While a request is being answered there is one for what the client does not read: each piece that goes out pushes it off.
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
    /// Pieces of answers that the client has not taken yet.
    private var unsent = 0
    /// Requests that were begun and not answered yet.
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
            // An answer may have come before the end of what it answers; then the next head is waited for.
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

    /// Waits anew for the client to take something, if there is something.
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
