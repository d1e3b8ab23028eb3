// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import NIOCore
import NIOHTTP1

/// Ends a connection after its last answer, and converts requests to the form that the rest of the server reads.
///
/// After the last answer, it closes the output and discards the client's input for a while. A connection that is closed
/// with unread bytes is reset, and the client may lose the answer (RFC 9112, 9.6).
final class ConnectionEnd: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let lingerTime: TimeAmount
    private var course = ConnectionCourse()
    private var closing: Scheduled<Void>?

    init(lingerTime: Duration) {
        self.lingerTime = TimeAmount(lingerTime)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.closing?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.closing?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.course.ignoresInput else { return }
        switch self.unwrapInboundIn(data) {
        case .head(var head):
            RequestLine.resolveTarget(&head)
            let place: ConnectionCourse.Place =
                RequestLine.isOld(head) ? .lastOfOldVersion : RequestLine.saysClose(head.headers) ? .last : .further
            self.course.begin(place)
            // The server behind this handler knows only this form.
            if place != .further { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.fireChannelRead(self.wrapInboundOut(.head(head)))
        case .body:
            context.fireChannelRead(data)
        case .end:
            self.course.end()
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // The handlers behind this one request no further reads.
        if self.course.isOver { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Bytes after the last request are not a request, so they are not refused.
        if error is HTTPParserError, self.course.ignoresInput { return }
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        // The client has sent everything and received the last answer.
        if case ChannelEvent.inputClosed = event, self.closing != nil { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            let place = self.course.beginAnswer(announcesEnd: RequestLine.saysClose(head.headers))
            if place != .further { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            if place == .lastOfOldVersion { head.version = .http1_0 }
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            self.course.endAnswer()
            guard self.course.isOver else { return context.write(data, promise: promise) }
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { _ in self.end(context) }
            context.write(data, promise: written)
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        let channel = context.channel
        guard channel.isActive, self.closing == nil else { return }
        self.closing = context.eventLoop.scheduleTask(in: self.lingerTime) { channel.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        context.read()
    }
}

/// Tracks the requests of a connection that are answered, and its last answer (RFC 9112, 9.3 and 9.6).
///
/// A connection ends with the answer to the first request that asks for it or is older than HTTP/1.1, or with an answer
/// that announces it. Input after that request or after the last answer is ignored.
struct ConnectionCourse: Sendable {
    /// The place of a request, and of its answer, on the connection.
    enum Place: Equatable {
        case further
        case last
        /// The last one, of an HTTP version without chunks.
        case lastOfOldVersion
    }

    /// How far requests have come, and answers.
    private enum Progress {
        case open
        /// The last one has begun.
        case last
        case ended
    }

    // Requests that began and are not answered yet, oldest first.
    private var open: [Place] = []
    private var requests = Progress.open
    private var answers = Progress.open

    /// True after the last answer.
    var isOver: Bool {
        self.answers == .ended
    }

    /// True when further input belongs to no exchange.
    var ignoresInput: Bool {
        self.isOver || self.requests == .ended
    }

    /// Records the beginning of a request.
    mutating func begin(_ place: Place) {
        self.open.append(place)
        self.requests = place == .further ? .open : .last
    }

    /// Records the end of a request.
    mutating func end() {
        if self.requests == .last { self.requests = .ended }
    }

    /// Records the beginning of an answer: to the oldest request, or to invalid input.
    mutating func beginAnswer(announcesEnd: Bool) -> Place {
        let request = self.open.first ?? .further
        let place = announcesEnd && request == .further ? .last : request
        if !self.isOver { self.answers = place == .further ? .open : .last }
        return place
    }

    /// Records the end of an answer.
    mutating func endAnswer() {
        if !self.open.isEmpty { self.open.removeFirst() }
        if self.answers == .last { self.answers = .ended }
    }
}
#endif
