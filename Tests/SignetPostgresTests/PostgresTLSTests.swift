// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
import Signet
import SignetFleetSupport
import SignetModel
import SignetTestSupport
import Testing

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
}
#endif
