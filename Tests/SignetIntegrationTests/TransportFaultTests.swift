// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION || SIGNET_ASYNC_HTTP_CLIENT
import Signet
import SignetLock
import SignetTestSupport
import SignetTransport
import Testing

/// What every transport that we ship does with limits, with servers that lie or fall silent, and when it is cancelled.
@Suite(.watched) struct TransportFaultTests {
    private static func error(
        of kind: ShippedTransport,
        _ reaction: LoopbackServer.Reaction,
        timeout: Duration = .seconds(200),
        limit: Int = 1 << 20
    ) async throws -> TransportError? {
        let server = try LoopbackServer { _ in reaction }
        return await #expect(throws: TransportError.self) {
            try await kind.make().send(
                TransportRequest(method: .get, url: server.url, timeout: timeout, responseLimit: limit)
            )
        }
    }

    /// Sends until the server was asked.
    ///
    /// On a machine that is busy enough, the time is over before: then there is more of it.
    private static func expectTimeout(
        of kind: ShippedTransport,
        _ reaction: LoopbackServer.Reaction,
        within limit: Duration
    ) async throws {
        let isAsked = Locked(false)
        let server = try LoopbackServer { _ in
            isAsked.withLock { $0 = true }
            return reaction
        }
        var timeout = limit
        repeat {
            let request = TransportRequest(method: .get, url: server.url, timeout: timeout)
            let error = await #expect(throws: TransportError.self) { try await kind.make().send(request) }
            #expect(error?.code == .timedOut, "\(String(describing: error))")
            timeout *= 2
        } while !isAsked.withLock { $0 }
        try await server.clientHasLeft()
    }

    // MARK: Limits

    @Test(arguments: ShippedTransport.all) func aBodyAtTheLimitIsRead(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer(body: "12345")) }
        let request = TransportRequest(method: .get, url: server.url, responseLimit: 5)
        #expect(try await kind.make().send(request).body.count == 5)
    }

    @Test(arguments: ShippedTransport.all) func aBodyOverTheLimitIsRefused(kind: ShippedTransport) async throws {
        let error = try await Self.error(of: kind, .answer(LoopbackServer.answer(body: "123456")), limit: 5)
        #expect(error?.code == .responseTooLarge)
    }

    @Test(arguments: ShippedTransport.all) func aBodyOverTheLimitThatDoesNotSayItsLengthIsRefused(
        kind: ShippedTransport
    ) async throws {
        let answer = Array(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n".utf8
        )
        #expect(try await Self.error(of: kind, .answer(answer), limit: 5)?.code == .responseTooLarge)
        #expect(try await Self.error(of: kind, .answer(answer), limit: 0)?.code == .responseTooLarge)
    }

    @Test(arguments: ShippedTransport.all) func anAnswerWithoutEndIsCutAndItsConnectionClosed(
        kind: ShippedTransport
    ) async throws {
        let server = try LoopbackServer { _ in
            .flood(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), piece: [UInt8](repeating: 120, count: 65_536))
        }
        let error = await #expect(throws: TransportError.self) {
            try await kind.make().send(
                TransportRequest(method: .get, url: server.url, responseLimit: 1_000_000)
            )
        }
        #expect(error?.code == .responseTooLarge)
        try await server.clientHasLeft()
    }

    // How much of a head is too much is for the client to say: NIO and curl have a limit; without one, the time is over. The
    // server closes nothing before the client does: with URLSession on Linux, that would be the end of the process.
    @Test(arguments: ShippedTransport.all) func aHeadWithoutEndIsAnErrorAndItsConnectionClosed(
        kind: ShippedTransport
    ) async throws {
        let server = try LoopbackServer { _ in .endlessHead }
        let error = await #expect(throws: TransportError.self) {
            try await kind.make().send(TransportRequest(method: .get, url: server.url))
        }
        #expect(
            [.badResponse, .notConnected, .timedOut].contains(error?.code),
            "\(String(describing: error))"
        )
        try await server.clientHasLeft()
    }

    @Test(arguments: ShippedTransport.all, ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func anAnswerThatDoesNotEndInTimeIsTimedOut(kind: ShippedTransport, bytes: String) async throws {
        try await Self.expectTimeout(of: kind, .stall(Array(bytes.utf8)), within: .milliseconds(50))
    }

    // No pause is long, so only a limit of the whole exchange ends it. The head that drips ends no more than the body.
    @Test(arguments: ShippedTransport.all, ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nX-Filler: "])
    func anAnswerThatDripsWithoutEndIsTimedOut(kind: ShippedTransport, start: String) async throws {
        let drip = LoopbackServer.Reaction.drip(Array(start.utf8), pause: 10, endless: Array("x".utf8))
        try await Self.expectTimeout(of: kind, drip, within: .seconds(1))
    }

    @Test(
        arguments: ShippedTransport.all,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\ndrop by drop",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndrop \r\n7\r\nby drop\r\n0\r\n\r\n",
        ]
    )
    func anAnswerThatDripsAndEndsInTimeArrivesWhole(kind: ShippedTransport, bytes: String) async throws {
        let server = try LoopbackServer { _ in .drip(Array(bytes.utf8), pause: 5) }
        let request = TransportRequest(method: .get, url: server.url, timeout: .seconds(200))
        let answer = try await kind.make().send(request)
        #expect(answer.status == 200)
        #expect(answer.body == Array("drop by drop".utf8))
    }

    @Test(arguments: ShippedTransport.all, [Duration.zero, .seconds(-1)])
    func withoutTimeThereIsNoAnswer(kind: ShippedTransport, timeout: Duration) async throws {
        #expect(try await Self.error(of: kind, .stall([]), timeout: timeout)?.code == .timedOut)
    }

    @Test(arguments: ShippedTransport.all) func aTimeLimitBeyondAllMeasureIsNone(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer()) }
        let request = TransportRequest(method: .get, url: server.url, timeout: .seconds(Int64.max))
        #expect(try await kind.make().send(request).status == 200)
    }

    // MARK: What goes wrong on the way

    @Test(
        arguments: ShippedTransport.all,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -9\r\n\r\nabc", "HTTP/1.1 200 OK\r\nno colon\r\n\r\nabc",
            "no such thing\r\n\r\n", "\0\0\0\0", "HTTP/1.1 \r\n\r\n",
        ]
    )
    func anAnswerThatIsCutOrIsNotHTTPIsABadResponse(kind: ShippedTransport, bytes: String) async throws {
        let error = try await Self.error(of: kind, .answerAndClose(Array(bytes.utf8)))
        #expect(error?.code == .badResponse, "\(String(describing: error))")
    }

    @Test(arguments: ShippedTransport.all, ["", "HTTP/1.1 100 Continue\r\n\r\n"])
    func aConnectionThatIsClosedWithoutAnAnswerIsALostConnection(kind: ShippedTransport, bytes: String) async throws {
        #expect(try await Self.error(of: kind, .answerAndClose(Array(bytes.utf8)))?.code == .notConnected)
    }

    @Test(arguments: ShippedTransport.all) func aPortWhereNobodyListensIsNotConnected(
        kind: ShippedTransport
    ) async throws {
        let port = try LoopbackServer.deafPort()
        let error = await #expect(throws: TransportError.self) {
            try await kind.make().send(
                TransportRequest(method: .get, url: "http://127.0.0.1:\(port)/?secret")
            )
        }
        #expect(error?.code == .notConnected)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: ShippedTransport.all) func aServerThatDoesNotSpeakTLSIsNoSecureConnection(
        kind: ShippedTransport
    ) async throws {
        let server = try LoopbackServer { _ in .answerAndClose(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        let error = await #expect(throws: TransportError.self) {
            try await kind.make().send(
                TransportRequest(method: .get, url: "https://127.0.0.1:\(server.port)", timeout: .seconds(200))
            )
        }
        #expect(error?.code == .secureConnectionFailed, "\(String(describing: error))")
    }

    // MARK: Cancellation

    @Test(arguments: ShippedTransport.all) func aCancelledTaskSendsNothing(kind: ShippedTransport) async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer()) }
        let transport = kind.make()
        let task = Task {
            await until("its own cancellation") { Task.isCancelled }
            return try await transport.send(TransportRequest(method: .get, url: server.url + "/cancelled"))
        }
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        _ = try await transport.send(TransportRequest(method: .get, url: server.url + "/next"))
        #expect(try await server.nextRequest().target == "/next")
    }

    @Test(arguments: ShippedTransport.all, ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func aTaskCancelledOnTheWayReturnsAndItsConnectionIsClosed(kind: ShippedTransport, bytes: String) async throws {
        let server = try LoopbackServer { _ in .stall(Array(bytes.utf8)) }
        let task = Task { try await kind.make().send(TransportRequest(method: .get, url: server.url)) }
        _ = try await server.nextRequest()
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await server.clientHasLeft()
    }

    @Test(arguments: ShippedTransport.all) func manyRequestsAtOnceEachGetTheirOwnAnswerAlsoWhenOthersAreCancelled(
        kind: ShippedTransport
    ) async throws {
        let server = try LoopbackServer { request in .answer(LoopbackServer.answer(body: request.target)) }
        let transport = kind.make(maximumConnectionsPerHost: 8)
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
#endif
