// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION || SIGNET_ASYNC_HTTP_CLIENT
import Signet
import SignetTestSupport
import SignetTransport
import Testing

/// What every transport that we ship does: what goes out, what comes back, what is kept.
@Suite(.watched) struct TransportCompatibilityTests {
    // MARK: What goes out

    @Test(arguments: ShippedTransport.all) func itSendsMethodPathHeadersAndBody(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer()) }
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "application/json")
        headers.append(name: "Date", value: "Tue, 14 Nov 2023 22:13:20 GMT")
        headers.append(name: "x-mp-signature", value: "0a1b")
        _ = try await kind.make().send(
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

    @Test(arguments: ShippedTransport.all, [TransportRequest.Method.get, .post, .patch, .put, .delete])
    func itSendsEachMethod(kind: ShippedTransport, method: TransportRequest.Method) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer()) }
        let body = method == .get ? [] : Array("x".utf8)
        _ = try await kind.make().send(TransportRequest(method: method, url: server.url, body: body))
        let request = try await server.nextRequest()
        #expect(request.method == method.rawValue)
        #expect(request.body == body)
    }

    @Test(arguments: ShippedTransport.all) func aBodyOfAMegabyteArrivesWhole(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer()) }
        let body = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try await kind.make().send(TransportRequest(method: .post, url: server.url, body: body))
        #expect(try await server.nextRequest().body == body)
    }

    @Test(
        arguments: ShippedTransport.all,
        [
            "", "/v1/login", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "127.0.0.1:80", "htt p://a",
        ]
    )
    func anAddressThatIsNoHTTPURLIsNotSent(kind: ShippedTransport, url: String) async {
        let error = await #expect(throws: TransportError.self) {
            try await kind.make().send(TransportRequest(method: .get, url: url))
        }
        #expect(error?.code == .invalidRequest)
    }

    // MARK: What comes back

    @Test(arguments: ShippedTransport.all) func anAnswerHasItsStatusHeadersAndBody(kind: ShippedTransport) async throws
    {
        let server = try LoopbackServer { _ in
            .answer(
                LoopbackServer.answer(
                    "202 Accepted",
                    ["Retry-After: 7", "X-MP-Max-Age: 86400"],
                    body: "{\"mpid\":\"-5\"}"
                )
            )
        }
        let answer = try await kind.make().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 202)
        #expect(answer.headers["retry-after"] == "7")
        #expect(answer.headers["x-mp-max-age"] == "86400")
        #expect(answer.body == Array("{\"mpid\":\"-5\"}".utf8))
    }

    @Test(arguments: ShippedTransport.all, [200, 202, 400, 403, 404, 429, 500, 503])
    func anyStatusIsAnAnswer(kind: ShippedTransport, status: Int) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer("\(status) Status", body: "why")) }
        let answer = try await kind.make().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == status)
        #expect(answer.body == Array("why".utf8))
    }

    @Test(arguments: ShippedTransport.all) func aRefusedAuthorisationIsAnAnswer(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in
            .answer(LoopbackServer.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"a\""], body: "no"))
        }
        let answer = try await kind.make().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 401)
        #expect(answer.body == Array("no".utf8))
    }

    @Test(arguments: ShippedTransport.all) func anAnswerWithoutABodyIsEmpty(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)) }
        let answer = try await kind.make().send(
            TransportRequest(method: .get, url: server.url, responseLimit: 0)
        )
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
    }

    @Test(arguments: ShippedTransport.all) func aBodyInChunksIsJoined(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in
            .answer(
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n".utf8)
            )
        }
        let answer = try await kind.make().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.body == Array("abcdefg".utf8))
    }

    @Test(arguments: ShippedTransport.all) func aBodyUntilTheEndOfTheConnectionIsRead(
        kind: ShippedTransport
    ) async throws {
        let server = try LoopbackServer { _ in .answerAndClose(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)) }
        let answer = try await kind.make().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.body == Array("abc".utf8))
    }

    // MARK: What it keeps and follows

    @Test(arguments: ShippedTransport.all) func aRedirectToNowhereIsTheAnswer(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer("301 Elsewhere", body: "moved")) }
        let answer = try await kind.make().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 301)
    }

    @Test(arguments: ShippedTransport.all) func whatComesBeforeTheAnswerIsNotTheAnswer(
        kind: ShippedTransport
    ) async throws {
        let server = try LoopbackServer { _ in
            .answer(Array("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n".utf8) + LoopbackServer.answer(body: "ok"))
        }
        let answer = try await kind.make().send(TransportRequest(method: .get, url: server.url))
        #expect(answer.status == 200)
        #expect(answer.headers["link"] == nil)
        #expect(answer.body == Array("ok".utf8))
    }

    @Test(arguments: ShippedTransport.all, [301, 302, 303, 307, 308])
    func aRedirectIsTheAnswerAndIsNotFollowed(kind: ShippedTransport, status: Int) async throws {
        let server = try LoopbackServer { request in
            request.target == "/from"
                ? .answer(LoopbackServer.answer("\(status) Elsewhere", ["Location: /to"], body: "moved"))
                : .answer(LoopbackServer.answer())
        }
        let transport = kind.make()
        let answer = try await transport.send(
            TransportRequest(method: .post, url: server.url + "/from", body: Array("x".utf8))
        )
        #expect(answer.status == status)
        #expect(answer.headers["location"] == "/to")
        _ = try await transport.send(TransportRequest(method: .get, url: server.url + "/next"))
        #expect(try await server.nextRequest().target == "/from")
        #expect(try await server.nextRequest().target == "/next")
    }

    @Test(arguments: ShippedTransport.all) func aCookieIsNotKept(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer("200 OK", ["Set-Cookie: a=b; Path=/"])) }
        let transport = kind.make()
        for _ in 0..<2 {
            _ = try await transport.send(TransportRequest(method: .get, url: server.url))
            #expect(try await server.nextRequest().headers["cookie"] == nil)
        }
    }

    @Test(arguments: ShippedTransport.all) func anAnswerIsNotKept(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in
            .answer(LoopbackServer.answer("200 OK", ["Cache-Control: public, max-age=3600", "ETag: \"a\""], body: "x"))
        }
        let transport = kind.make()
        for _ in 0..<2 {
            _ = try await transport.send(TransportRequest(method: .get, url: server.url))
            #expect(try await server.nextRequest().headers["if-none-match"] == nil)
        }
    }
}
#endif
