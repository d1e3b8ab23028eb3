// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import SignetFleetSupport
import SignetLock
import SignetModel
import SignetPostgres
import SignetTestSupport
import Testing
import signet_fleet_member

import struct Foundation.UUID

@testable import Signet

// What a replica has decided in a row, and may not have logged.
extension Fleet {
    /// Lets a replica end a visitor's session for all, and kills it before it hears that the row has it.
    ///
    /// The replica has a directory of the visitor's name.
    ///
    /// - Parameters:
    ///   - name: The visitor.
    ///   - command: The call that ends the session and must log an event: an end of the session, or an opt-out.
    /// - Returns: False if nothing was decided: a look of the replica's own loop may lose the connection first.
    /// - Throws: What a process or the server throws.
    func decidesAndDies(_ name: String, by command: MemberCommand) async throws -> Bool {
        let proxy = try TCPProxy(to: self.server.port)
        let replica = try await self.member(name, port: proxy.port)
        try await replica.expect(.open(name, identifies: false))
        try await replica.expect(.login(name, customer: "c-\(name)"))
        try await replica.expect(.log(name, count: 2, name: name))
        try await replica.expect(.upload)
        try await self.told(by: 1)
        try await replica.expect(.refresh(name))
        proxy.set(.dropsReplies(after: 0))
        let hasAnswered = Locked(false)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Killed, it answers nothing.
                do { _ = try await replica.call(command) } catch is MemberProcess.Ended { return }
                hasAnswered.withLock { $0 = true }
            }
            let row = "from signet.live where k = \(Fleet.key(name))"
            var isDecided = false
            try await until("the row has the decision, or the call has ended") {
                isDecided = try await self.number("select (session is null and outbox <> '')::int \(row)") == 1
                return isDecided || hasAnswered.withLock { $0 }
            }
            await replica.killed()
            try await group.waitForAll()
            return isDecided && !hasAnswered.withLock { $0 }
        }
    }

    /// The ids of the opt-outs whose events the row of an installation waits for.
    func dueOptOuts(of id: String) async throws -> [String] {
        let store = try PostgresStore(self.server.url(self.database), connections: 1, limit: .seconds(20))
        let rows = try await store.read([SharedIDs.key(of: Array(id.utf8))]).value
        await store.close()
        guard let outbox = rows.first?.outbox, !outbox.isEmpty else { return [] }
        return try SharedOutbox(decoding: outbox).optOuts.map(\.id.uuidString)
    }
}
#endif
