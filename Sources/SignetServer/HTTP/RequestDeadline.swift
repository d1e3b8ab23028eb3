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
/// While a request is being answered there is none; that is the answer's own affair.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let head: TimeAmount
    private let body: TimeAmount
    private var scheduled: Scheduled<Void>?
    /// Requests that were begun and not answered yet.
    private var unanswered = 0

    init(head: Duration, body: Duration) {
        self.head = TimeAmount(head)
        self.body = TimeAmount(body)
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
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.disarm()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head:
            self.unanswered += 1
            self.arm(self.body, context)
        case .body:
            break
        case .end:
            self.disarm()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = self.unwrapOutboundIn(data) {
            self.unanswered -= 1
            if self.unanswered <= 0 { self.arm(self.head, context) }
        }
        context.write(data, promise: promise)
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
