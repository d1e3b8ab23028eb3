// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@testable import SignetPostgres

/// A server with a certificate.
@Suite(.watched) struct PostgresTLSTests {
    @Test func aServerProvesItselfByTheAuthorityThatTheURLNames() async throws {
        let server = try await PostgresServer.start()
        let (root, stranger) = try await server.startTLS()
        func store(_ host: String, _ root: String) throws -> PostgresStore {
            try PostgresBadDaysTests.store(
                Secret("postgres://postgres@\(host):\(server.port)/postgres?sslmode=verify-full&sslrootcert=\(root)")
            )
        }
        let trusted = try store("localhost", root)
        _ = try await trusted.read([])
        let report = try await trusted.check()
        #expect(report.isEncrypted && report.isServerEncrypted && !report.hasPooler)
        // Another authority; the right one, and another name than the certificate's; none.
        for (host, root) in [("localhost", stranger), ("127.0.0.1", root), ("localhost", "/nowhere/root.crt")] {
            let store = try store(host, root)
            let error = await #expect(throws: SharedStoreError.self) { try await store.read([]) }
            #expect(error?.code == .secureConnectionFailed)
            #expect(error?.message.contains("name its root with sslrootcert") == true)
            await store.close()
        }
        let open = try PostgresBadDaysTests.store(
            Secret("postgres://postgres@localhost:\(server.port)/postgres?sslmode=disable")
        )
        #expect(try await !open.check().isEncrypted)
        for store in [trusted, open] { await store.close() }
    }

    @Test func aServerThatGoesInTheHandshakeIsNotMistrusted() async throws {
        let (listener, port) = try LoopbackSocket.listen()
        let store = try PostgresBadDaysTests.store(
            Secret("postgres://postgres@127.0.0.1:\(port)/postgres?sslmode=require"),
            connections: 1,
            limit: .seconds(60)
        )
        async let ended: Void = ownThread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let client = accept(listener, nil, nil), client >= 0 {
                // It is asked for TLS, agrees, gets the first words of TLS, and closes.
                _ = recv(client, &bytes, 8, 0)
                bytes[0] = UInt8(ascii: "S")
                _ = send(client, bytes, 1, 0)
                _ = recv(client, &bytes, bytes.count, 0)
                close(client)
            }
            close(listener)
        }
        // On a busy machine the limit of a connection may end it first, which has another text.
        let error = await #expect(throws: SharedStoreError.self) { try await store.read([]) }
        #expect(error?.code == .unreachable)
        await store.close()
        shutdown(listener, Int32(SHUT_RDWR))
        try await ended
    }

    @Test(arguments: [
        ("SSL SYSCALL error: EOF detected", SharedStoreError.Code.unreachable),
        ("SSL SYSCALL error: Connection reset by peer", .unreachable),
        ("could not send SSL negotiation packet: Broken pipe", .unreachable),
        ("SSL error: unexpected eof while reading", .unreachable),
        ("SSL connection has been closed unexpectedly", .unreachable),
        ("server sent an error response during SSL exchange", .unreachable),
        ("SSL error: certificate verify failed", .secureConnectionFailed),
        ("SSL error: tlsv1 alert unknown ca", .secureConnectionFailed),
        ("server certificate for \"a\" does not match host name \"b\"", .secureConnectionFailed),
        ("server does not support SSL, but SSL was required", .secureConnectionFailed),
        ("root certificate file \"/nowhere\" does not exist", .secureConnectionFailed),
    ])
    func whatLibpqSaysOfTLSIsMistrustOrLoss(_ reason: String, _ code: SharedStoreError.Code) {
        let lost = "connection to server at \"db\" (::1), port 5432 failed: SSL SYSCALL error: EOF detected"
        for text in [reason, "\(lost)\nconnection to server at \"db\" (10.0.0.1), port 5432 failed: \(reason)"] {
            #expect(PostgresFailure(connectionMessage: text, redacting: []).connectionError.code == code)
        }
    }
}
#endif
