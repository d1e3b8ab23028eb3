// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetModel
import SignetTesting
import Testing

/// The work that the tables of a store show.
@Suite struct MemoryDatabaseDueWorkTests {
    private typealias Entry = DueWorkReport.Entry

    private static func database(_ change: (inout SharedCommit) -> Void) -> MemoryDatabase {
        var database = MemoryDatabase()
        var commit = SharedCommit("visitor", key: UUID(), if: .isMissing, tag: UUID(), state: [1])
        change(&commit)
        _ = database.commit([commit], now: 0)
        return database
    }

    @Test func aRowAtRestHasNone() {
        #expect(Self.database { $0.look = .set(nil) }.dueWork(at: .max / 2).owed.isEmpty)
    }

    @Test func aSessionIsOverAfterItsTimeout() {
        let database = Self.database { $0.session = .begin(.init(id: UUID(), started: 10, last: 1000, events: 1)) }
        #expect(database.dueWork(at: 1_800_999).owed.isEmpty)
        #expect(database.dueWork(at: 1_801_000).owed == [Entry(.sessionEnd, of: "visitor", since: 1000)])
        let short = database.dueWork(at: 61_000, sessionTimeout: .seconds(60))
        #expect(short.owed == [Entry(.sessionEnd, of: "visitor", since: 1000)])
    }

    @Test func aLookIsDueFromItsTimeOn() {
        let database = Self.database { $0.look = .set(500) }
        #expect(database.dueWork(at: 499).owed.isEmpty)
        #expect(database.dueWork(at: 500).owed == [Entry(.mark, of: "visitor", since: 500)])
    }

    @Test func anOutboxIsDueWhileItIsThere() {
        let database = Self.database { $0.outbox = .set([1]) }
        #expect(database.dueWork(at: 0).owed == [Entry(.outbox, of: "visitor")])
    }

    @Test func anErasureIsDueUntilEachLiveReplicaHasErased() {
        var database = MemoryDatabase()
        let replicas = [UUID(), UUID(), UUID()]
        for replica in replicas { _ = database.join(replica, token: UUID(), now: 0) }
        // One that has left erases when it joins again.
        database.leave(replicas[2], now: 0)
        let erasure = SharedErasure(id: UUID(), hash: [1], by: replicas[0], milliseconds: 0)
        database.erase(erasure, now: 300)
        #expect(database.dueWork(at: 300).owed == [Entry(.erasure, of: nil, count: 2, since: 300)])
        database.acknowledge(erasure.id, by: replicas[0])
        #expect(database.dueWork(at: 300).owed == [Entry(.erasure, of: nil, count: 1, since: 300)])
        database.acknowledge(erasure.id, by: replicas[1])
        #expect(database.dueWork(at: 300).owed == [Entry(.erasure, of: nil, count: 0, since: 300)])
        database.finishRows(of: erasure.id)
        #expect(database.dueWork(at: 300).owed.isEmpty)
    }
}
