//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if URLSessionTransport
import Foundation
import Signet
import SignetTransport
import Testing

@Suite(.timeLimit(.minutes(2))) struct URLSessionTransportTests {
    #if os(Linux)
    static let isLinux = true
    #else
    static let isLinux = false
    #endif

    /// The bytes of an answer with its length.
    static func answer(
        _ status: String = "200 OK",
        _ headers: [String] = [],
        body: String = ""
    ) -> [UInt8] {
        let head = ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(body.utf8.count)"]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static func error(
        of reaction: LoopbackServer.Reaction,
        timeout: Duration = .seconds(30),
        limit: Int = 1 << 20
    ) async throws -> TransportError? {
        let server = try LoopbackServer { _ in reaction }
        return await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                TransportRequest(method: .get, url: server.url, timeout: timeout, responseLimit: limit)
            )
        }
    }

    // MARK: What goes out

    @Test func itSendsMethodPathHeadersAndBody() async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer()) }
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "application/json")
        headers.append(name: "Date", value: "Tue, 14 Nov 2023 22:13:20 GMT")
        headers.append(name: "x-mp-signature", value: "0a1b")
        _ = try await URLSessionTransport().send(
            TransportRequest(
                method: .post,
                url: server.url + "/v1/login?a=b%20c",
                headers: headers,
                body: Array("{\"a\":\"ä\"}".utf8)
            )
        )
        let request = try await server.nextRequest()
        #expect(request.method == "POST")
        #expect(request.target == "/v1/login?a=b%20c")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["date"] == "Tue, 14 Nov 2023 22:13:20 GMT")
        #expect(request.headers["x-mp-signature"] == "0a1b")
        #expect(request.body == Array("{\"a\":\"ä\"}".utf8))
    }

    @Test(arguments: [TransportRequest.Method.get, .post, .patch, .put, .delete])
    func itSendsEachMethod(method: TransportRequest.Method) async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer()) }
        let body = method == .get ? [] : Array("x".utf8)
        _ = try await URLSessionTransport().send(TransportRequest(method: method, url: server.url, body: body))
        let request = try await server.nextRequest()
        #expect(request.method == method.rawValue)
        #expect(request.body == body)
    }

    @Test func aBodyOfAMegabyteArrivesWhole() async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer()) }
        let body = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try await URLSessionTransport().send(TransportRequest(method: .post, url: server.url, body: body))
        #expect(try await server.nextRequest().body == body)
    }

    @Test(arguments: [
        "", "/v1/login", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "127.0.0.1:80", "htt p://a",
    ])
    func anAddressThatIsNoHTTPURLIsNotSent(url: String) async {
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(TransportRequest(method: .get, url: url))
        }
        #expect(error?.code == .invalidRequest)
    }

    // MARK: What comes back

    @Test func anAnswerHasItsStatusHeadersAndBody() async throws {
        let server = try LoopbackServer { _ in
            .answer(Self.answer("202 Accepted", ["Retry-After: 7", "X-MP-Max-Age: 86400"], body: "{\"mpid\":\"-5\"}"))
        }
        let answer = try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 202)
        #expect(answer.headers["retry-after"] == "7")
        #expect(answer.headers["x-mp-max-age"] == "86400")
        #expect(answer.body == Array("{\"mpid\":\"-5\"}".utf8))
    }

    @Test(arguments: [200, 202, 400, 403, 404, 429, 500, 503])
    func anyStatusIsAnAnswer(status: Int) async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer("\(status) Status", body: "why")) }
        let answer = try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == status)
        #expect(answer.body == Array("why".utf8))
    }

    @Test func aRefusedAuthorisationIsAnAnswer() async throws {
        let server = try LoopbackServer { _ in
            .answer(Self.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"a\""], body: "no"))
        }
        let answer = try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 401)
        #expect(answer.body == Array("no".utf8))
    }

    @Test func anAnswerWithoutABodyIsEmpty() async throws {
        let server = try LoopbackServer { _ in .answer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)) }
        let answer = try await URLSessionTransport().send(
            TransportRequest(method: .get, url: server.url, responseLimit: 0)
        )
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
    }

    @Test func aBodyInChunksIsJoined() async throws {
        let server = try LoopbackServer { _ in
            .answer(
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n".utf8)
            )
        }
        let answer = try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.body == Array("abcdefg".utf8))
    }

    @Test func aBodyUntilTheEndOfTheConnectionIsRead() async throws {
        let server = try LoopbackServer { _ in .answerAndClose(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)) }
        let answer = try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.body == Array("abc".utf8))
    }

    // MARK: What it keeps and follows

    @Test func aRedirectToNowhereIsTheAnswer() async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer("301 Elsewhere", body: "moved")) }
        let answer = try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 301)
    }

    @Test func whatComesBeforeTheAnswerIsNotTheAnswer() async throws {
        let server = try LoopbackServer { _ in
            .answer(Array("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n".utf8) + Self.answer(body: "ok"))
        }
        let answer = try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 200)
        #expect(answer.headers["link"] == nil)
        #expect(answer.body == Array("ok".utf8))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsTheAnswerAndIsNotFollowed(status: Int) async throws {
        let server = try LoopbackServer { request in
            request.target == "/from"
                ? .answer(Self.answer("\(status) Elsewhere", ["Location: /to"], body: "moved")) : .answer(Self.answer())
        }
        let transport = URLSessionTransport()
        let answer = try await transport.send(
            TransportRequest(method: .post, url: server.url + "/from", body: Array("x".utf8))
        )
        #expect(answer.status == status)
        #expect(answer.headers["location"] == "/to")
        _ = try await transport.send(TransportRequest(method: .get, url: server.url + "/next"))
        #expect(try await server.nextRequest().target == "/from")
        #expect(try await server.nextRequest().target == "/next")
    }

    @Test func aCookieIsNotKept() async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer("200 OK", ["Set-Cookie: a=b; Path=/"])) }
        let transport = URLSessionTransport()
        for _ in 0..<2 {
            _ = try await transport.send(TransportRequest(method: .get, url: server.url))
            #expect(try await server.nextRequest().headers["cookie"] == nil)
        }
    }

    @Test func anAnswerIsNotKept() async throws {
        let server = try LoopbackServer { _ in
            .answer(Self.answer("200 OK", ["Cache-Control: public, max-age=3600", "ETag: \"a\""], body: "x"))
        }
        let transport = URLSessionTransport()
        for _ in 0..<2 {
            _ = try await transport.send(TransportRequest(method: .get, url: server.url))
            #expect(try await server.nextRequest().headers["if-none-match"] == nil)
        }
    }

    // MARK: Limits

    @Test func aBodyAtTheLimitIsRead() async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer(body: "12345")) }
        let request = TransportRequest(method: .get, url: server.url, responseLimit: 5)
        #expect(try await URLSessionTransport().send(request).body.count == 5)
    }

    @Test func aBodyOverTheLimitIsRefused() async throws {
        let error = try await Self.error(of: .answer(Self.answer(body: "123456")), limit: 5)
        #expect(error?.code == .responseTooLarge)
    }

    @Test func aBodyOverTheLimitThatDoesNotSayItsLengthIsRefused() async throws {
        let answer = Array(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n".utf8
        )
        #expect(try await Self.error(of: .answer(answer), limit: 5)?.code == .responseTooLarge)
        #expect(try await Self.error(of: .answer(answer), limit: 0)?.code == .responseTooLarge)
    }

    @Test func anAnswerWithoutEndIsCutAndItsConnectionClosed() async throws {
        let server = try LoopbackServer { _ in
            .flood(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), piece: [UInt8](repeating: 120, count: 65_536))
        }
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                TransportRequest(method: .get, url: server.url, responseLimit: 1_000_000)
            )
        }
        #expect(error?.code == .responseTooLarge)
        try await server.clientHasLeft()
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func anAnswerThatDoesNotEndInTimeIsTimedOut(bytes: String) async throws {
        let server = try LoopbackServer { _ in .stall(Array(bytes.utf8)) }
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                TransportRequest(method: .get, url: server.url, timeout: .milliseconds(50))
            )
        }
        #expect(error?.code == .timedOut)
        try await server.clientHasLeft()
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func withoutTimeThereIsNoAnswer(timeout: Duration) async throws {
        #expect(try await Self.error(of: .stall([]), timeout: timeout)?.code == .timedOut)
    }

    @Test func aTimeLimitBeyondAllMeasureIsNone() async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer()) }
        let request = TransportRequest(method: .get, url: server.url, timeout: .seconds(Int64.max))
        #expect(try await URLSessionTransport().send(request).status == 200)
    }

    // MARK: What goes wrong on the way

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: -9\r\n\r\nabc", "HTTP/1.1 200 OK\r\nno colon\r\n\r\nabc",
        "no such thing\r\n\r\n", "\0\0\0\0", "HTTP/1.1 \r\n\r\n",
        "HTTP/1.1 200\r\n\r\n",
    ])
    func anAnswerThatIsCutOrIsNotHTTPIsABadResponse(bytes: String) async throws {
        let error = try await Self.error(of: .answerAndClose(Array(bytes.utf8)))
        #expect(error?.code == .badResponse, "\(String(describing: error))")
    }

    @Test(arguments: ["", "HTTP/1.1 100 Continue\r\n\r\n"])
    func aConnectionThatIsClosedWithoutAnAnswerIsALostConnection(bytes: String) async throws {
        #expect(try await Self.error(of: .answerAndClose(Array(bytes.utf8)))?.code == .notConnected)
    }

    // Not ours to mend: the process ends inside of Foundation. When this is no longer so, drop the warning of the type.
    @Test(.enabled(if: URLSessionTransportTests.isLinux)) func aHeadThatIsCutEndsTheProcessOnLinux() async {
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { _ in .answerAndClose(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8)) }
                let transport = URLSessionTransport()
                await #expect(throws: TransportError.self) {
                    try await transport.send(TransportRequest(method: .get, url: server.url))
                }
            }
        }
    }

    @Test func aPortWhereNobodyListensIsNotConnected() async throws {
        let port = try LoopbackServer.deafPort()
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                TransportRequest(method: .get, url: "http://127.0.0.1:\(port)/?secret")
            )
        }
        #expect(error?.code == .notConnected)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func aServerThatDoesNotSpeakTLSIsNoSecureConnection() async throws {
        let server = try LoopbackServer { _ in .answerAndClose(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                TransportRequest(method: .get, url: "https://127.0.0.1:\(server.port)", timeout: .seconds(10))
            )
        }
        #expect(error?.code == .secureConnectionFailed, "\(String(describing: error))")
    }

    // MARK: Cancellation

    @Test func aCancelledTaskSendsNothing() async throws {
        let server = try LoopbackServer { _ in .answer(Self.answer()) }
        let transport = URLSessionTransport()
        let task = Task {
            while !Task.isCancelled {
                await Task.yield()
            }
            return try await transport.send(TransportRequest(method: .get, url: server.url + "/cancelled"))
        }
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        _ = try await transport.send(TransportRequest(method: .get, url: server.url + "/next"))
        #expect(try await server.nextRequest().target == "/next")
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func aTaskCancelledOnTheWayReturnsAndItsConnectionIsClosed(bytes: String) async throws {
        let server = try LoopbackServer { _ in .stall(Array(bytes.utf8)) }
        let task = Task { try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url)) }
        _ = try await server.nextRequest()
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await server.clientHasLeft()
    }

    @Test func manyRequestsAtOnceEachGetTheirOwnAnswerAlsoWhenOthersAreCancelled() async throws {
        let server = try LoopbackServer { request in .answer(Self.answer(body: request.target)) }
        let transport = URLSessionTransport(maximumConnectionsPerHost: 8)
        let answered = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let sending = Task {
                        try await transport.send(TransportRequest(method: .get, url: "\(server.url)/\(number)"))
                    }
                    if number.isMultiple(of: 3) {
                        await Task.yield()
                        sending.cancel()
                    }
                    switch await sending.result {
                    case .success(let answer):
                        #expect(answer.body == Array("/\(number)".utf8))
                        return true
                    case .failure(let error):
                        #expect((error as? TransportError)?.code == .cancelled)
                        #expect(number.isMultiple(of: 3))
                        return false
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(answered >= 200)
    }
}

extension LoopbackServer {
    struct NothingSeen: Error {}

    fileprivate func nextRequest() async throws -> Request {
        for await sight in self.sights {
            if case .request(let request) = sight {
                return request
            }
        }
        throw NothingSeen()
    }

    fileprivate func clientHasLeft() async throws {
        for await sight in self.sights {
            if case .clientLeft = sight {
                return
            }
        }
        throw NothingSeen()
    }
}
#endif
