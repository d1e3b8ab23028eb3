// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetModel
import SignetRuntimeTestSupport

import struct FoundationEssentials.UUID

@testable import Signet
@testable import SignetIterable

extension RecordSample {
    static let iterable = [
        RecordSample("iterable-memory", Self.visitor),
        RecordSample("iterable-record", Self.act),
    ]

    private static func uuid(_ number: UInt8) -> UUID {
        UUID(uuid: (number, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))
    }

    private static var visitor: IterableMemory {
        let token = IterablePushToken(token: "0aff", platform: "APNS")
        let tasks: [IterableTask] = [
            .create(userID: "u", criterion: "c"), .announce, .awaitToken, .merge(source: "u"),
            .consent(at: 1_700_000_000_000, isKnown: true), .register(token, allowsNotifications: false),
            .disable(token: "0aff", of: "u"), .disable(token: "0aff"), .changeEmail("b@example.com"),
        ]
        var memory = IterableMemory(first: 3, next: 90, low: 2, reserved: 100)
        memory.turns = [
            IterableTurn(
                person: .known(.email("a@x")),
                from: 1,
                born: 2,
                end: 3,
                tasks: tasks,
                mpid: MPID(rawValue: -6_504_934_091_054_997_508)
            ),
            IterableTurn(person: .unknown(userID: "u"), from: 3, born: 3, end: nil, tasks: [], pausesTokens: true),
        ]
        memory.consentedAt = 1_700_000_000_000
        memory.sessions = .init(total: 3, first: 1, last: 2)
        memory.activation = .init(userID: "u", criterion: "c")
        (memory.reservedID, memory.followed, memory.nextMerge) = ("r", Self.uuid(7), "m")
        memory.synced = .overruled(SyncedUser(MPID(rawValue: 5), names: ["id u"]), by: nil)
        (memory.pushToken, memory.allowsNotifications) = (token, true)
        let hours = UnexplainedRefusals(hours: 3, since: 1_700_000_000_000)
        memory.pausesTokens = true
        memory.refusals = [.init(subject: "records", status: 400, count: hours, before: 42)]
        return memory
    }

    private static var act: StoredIterableRecord {
        let record = IterableRecord.customEvent("seen", dataFields: ["price": 1.5, "tags": ["a"]], at: 1_700_000_000)
        return StoredIterableRecord(ordinal: 41, id: Self.uuid(8), record: record)
    }
}
