// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import Testing

@testable import Signet

@Suite struct OutboxTests {
    private static let visitors = IdentitySyncOutcome.Service(name: "iterable")
    private static let profiles = IdentitySyncOutcome.Service(name: "infobip")

    private static func record(
        _ number: Int64,
        for services: Set<IdentitySyncOutcome.Service> = [OutboxTests.visitors, OutboxTests.profiles]
    ) -> OutboxEntry {
        OutboxEntry(
            id: UUID(),
            mpid: MPID(rawValue: number),
            call: .identify(email: "u\(number)@example.com", customerID: nil),
            services: services
        )
    }

    private static func ledger(_ records: [OutboxEntry]) -> Outbox {
        var ledger = Outbox()
        for record in records { _ = ledger.add(record) }
        return ledger
    }

    @Test func eachServiceTakesEveryRecordOverOnceAndInOrder() {
        let records = [Self.record(1), Self.record(2), Self.record(3)]
        let ledger = Self.ledger(records)
        #expect(ledger.due(for: Self.visitors, after: nil) == records)
        #expect(ledger.due(for: Self.visitors, after: records[0].id) == Array(records[1...]))
        #expect(ledger.due(for: Self.visitors, after: records[2].id).isEmpty)
        // What it took last has ended, and with it all before.
        #expect(ledger.due(for: Self.visitors, after: UUID()) == records)
    }

    @Test func whatAServiceHasEndedEndsWhatCameBeforeForThatServiceAlone() {
        let records = [Self.record(1), Self.record(2), Self.record(3)]
        var ledger = Self.ledger(records)
        #expect(ledger.end(records[1].id, for: Self.visitors).map(\.id) == records[...1].map(\.id))
        #expect(ledger.open(for: Self.visitors).map(\.id) == [records[2].id])
        #expect(ledger.open(for: Self.profiles).count == 3)
        #expect(ledger.end(records[1].id, for: Self.visitors).isEmpty)
        #expect(ledger.end(records[2].id, for: Self.profiles).count == 3)
        #expect(ledger.end(records[2].id, for: Self.visitors).count == 1)
        #expect(ledger.records.isEmpty)
    }

    @Test func aRecordWhoseUserWasNotWrittenAnyMoreNeverWas() {
        let records = [Self.record(1), Self.record(2)]
        var ledger = Self.ledger(records)
        ledger.begin(with: MPID(rawValue: 2))
        #expect(ledger.records == records)
        ledger.begin(with: MPID(rawValue: 1))
        #expect(ledger.records == [records[0]])
    }

    @Test func whoIsErasedLeavesTheirPlaceOnly() throws {
        let records = [Self.record(1), Self.record(2), Self.record(3)]
        var ledger = Self.ledger(records)
        let erased = ledger.forget { $0 == MPID(rawValue: 2) }
        #expect(erased)
        #expect(ledger.records.map(\.id) == records.map(\.id))
        #expect(ledger.records[1].call == .leave)
        #expect(ledger.records[1].mpid == nil)
        #expect(!String(decoding: ledger.encoded(), as: UTF8.self).contains("u2@"))
        #expect(ledger.due(for: Self.visitors, after: records[1].id) == [records[2]])
        #expect(try Outbox(ledger.encoded()) == ledger)
        let again = ledger.forget { $0 == MPID(rawValue: 2) }
        #expect(!again)
    }

    @Test func theOldestAndTheNewestStayWhereAServiceTakesNothingOver() {
        var ledger = Outbox()
        let records = (1...40).map { Self.record($0) }
        let dropped = records.compactMap { ledger.add($0) }
        #expect(ledger.records.count == 16)
        #expect(dropped == Array(records[1...24]))
        #expect(ledger.records.first == records.first)
        #expect(ledger.records.last == records.last)
    }

    @Test func ledgersAreReadAsTheyWereWritten() throws {
        let ledger = Self.ledger([Self.record(1), Self.record(-2, for: [Self.visitors])])
        #expect(try Outbox(ledger.encoded()) == ledger)
        #expect(try Outbox([]) == nil)
        #expect(try Outbox(Array("{}".utf8)) == nil)
        let error = #expect(throws: SignetError.self) { try Outbox([2] + ledger.encoded().dropFirst()) }
        #expect(error?.code == .newerFormat)
    }
}
