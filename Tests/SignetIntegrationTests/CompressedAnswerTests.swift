// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION || SIGNET_ASYNC_HTTP_CLIENT
import Foundation
import Signet
import SignetTestSupport
import SignetTransport
import Testing

/// Answers that were sent compressed: a client may expand them, and the limit is that of what it hands over.
@Suite(.watched) struct CompressedAnswerTests {
    /// A million zeros as gzip(1) has them, in about a thousand bytes; many such members one behind the other are one body.
    private static func bomb(members: Int) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = folder.path + "/zeros"
        try Data(count: 1_000_000).write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-9", "-c", file]
        let pipe = try start(process) {
            let pipe = Pipe()
            process.standardOutput = pipe
            return pipe
        }
        let member = Array(pipe.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(member.count < 2000)
        return (0..<members).flatMap { _ in member }
    }

    @Test(arguments: ShippedTransport.all) func aBombIsNotHandedOverBeyondTheLimit(kind: ShippedTransport) async throws
    {
        let body = try Self.bomb(members: 40)
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        let server = try LoopbackServer { _ in .answer(Array(head.utf8) + body) }
        let request = TransportRequest(method: .get, url: server.url, responseLimit: 256 * 1024)
        do {
            // A client that expands nothing hands over what came, which is less than the limit and no JSON.
            let response = try await kind.make().send(request)
            #expect(response.body == body)
        } catch {
            #expect(error.code == .responseTooLarge, "\(error)")
        }
    }
}
#endif
