//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if URLSessionTransport
import Signet
import SignetTransport
import Testing

/// What is of Foundation's own; the rest is in ``TransportCompatibilityTests`` and ``TransportFaultTests``.
@Suite(.timeLimit(.minutes(2))) struct URLSessionTransportTests {
    #if os(Linux)
    static let isLinux = true
    #else
    static let isLinux = false
    #endif

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

    // A body that is not compressed though it says so, and a status without a reason, which others take.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200\r\n\r\n",
    ])
    func foundationIsStricterThanOthers(answer: String) async throws {
        let server = try LoopbackServer { _ in .answerAndClose(Array(answer.utf8)) }
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        }
        #expect(error?.code == .badResponse)
    }
}
#endif
