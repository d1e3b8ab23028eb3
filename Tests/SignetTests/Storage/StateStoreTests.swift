// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct StateStoreTests {
    @Test func recordsAreWrittenReadListedAndRemoved() throws {
        let folder = try TemporaryFolder()
        let store = StateStore(try StateLog(directory: folder.path))
        let ids = [UUID(), UUID()]
        for id in ids { try store.put(id.bytes, for: StateKey.batch(id)) }
        try store.put([1], for: StateKey.alias(ids[0]))
        #expect(try store.value(for: StateKey.batch(ids[0])) == ids[0].bytes)
        let batches = try store.values(withPrefix: StateKey.batches) { error in #expect(error.code == .diskFull) }
        #expect(Set(batches.map(\.value)) == Set(ids.map(\.bytes)))
        try store.remove(StateKey.batch(ids[0]))
        try store.remove(StateKey.batch(ids[0]))
        #expect(try store.value(for: StateKey.batch(ids[0])) == nil)
    }

    @Test func aClosedLogIsNotRunning() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        let store = StateStore(log)
        log.close()
        let error = #expect(throws: SignetError.self) { try store.put([1], for: [2]) }
        #expect(error?.code == .notRunning)
    }

    @Test func keysOfDifferentKindsNeverMeet() {
        let id = UUID()
        let installation = InstallationID("x")
        let keys = [
            StateKey.workspace, StateKey.identity(installation), StateKey.session(installation), StateKey.batch(id),
            StateKey.deadLetterBatch(id), StateKey.alias(id), StateKey.unreadable(StateKey.identity(installation)),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.compactMap(\.first)).count == keys.count)
    }

    @Test func theLongestKeyIsAllowed() throws {
        let folder = try TemporaryFolder()
        let store = StateStore(try StateLog(directory: folder.path))
        let id = InstallationID(String(repeating: "é", count: InstallationID.maximumLength / 2))
        #expect(id.isValid)
        try store.put([1], for: StateKey.unreadable(StateKey.identity(id)))
    }
}
