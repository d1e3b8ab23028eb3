// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetJournal

struct SpareFileTests {
    @Test func itIsHeldGivenAndHeldAgain() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, disk: Disk())
        var spare = SpareFile(folder: folder, name: "spare")
        var isGiven = spare.release()
        #expect(!isGiven)
        spare.hold()
        spare.hold()
        #expect(try temporary.contents(of: "spare").count == 65_536)
        isGiven = spare.release()
        #expect(isGiven)
        isGiven = spare.release()
        #expect(!isGiven)
        #expect(try temporary.names().isEmpty)
        spare.hold()
        #expect(spare.isHeld)
        var next = SpareFile(folder: folder, name: "spare")
        next.hold()
        #expect(next.isHeld)
    }

    @Test func aFullDiskLeavesNoHalfOfIt() throws {
        let temporary = try TemporaryFolder()
        let faults = FaultyDisk()
        let folder = try Folder(path: temporary.path, disk: faults.disk)
        var spare = SpareFile(folder: folder, name: "spare")
        faults.fail { call, _, count in
            guard call == .write else { return nil }
            return count == 1 ? .short(1000) : .failure(28)
        }
        spare.hold()
        #expect(!spare.isHeld)
        #expect(try temporary.names().isEmpty)
    }

    @Test func removalsAndAcknowledgementsUseItAndChangesDoNot() throws {
        let temporary = try TemporaryFolder()
        let faults = FaultyDisk()
        var options = StateLog.Options()
        options.disk = faults.disk
        let log = try StateLog(directory: temporary.path, options: options)
        let journal = try Journal(directory: temporary.path, storage: .written, disk: faults.disk)
        try log.put(bytes("v"), for: bytes("k"))
        _ = try journal.append(stamp: [], payload: [])
        // The disk is full as long as the spare file is there.
        let path = temporary.path
        faults.fail { call, name, _ in
            guard call == .write else { return nil }
            let spare = name.hasSuffix("log") ? "state.spare" : "journal.spare"
            do {
                return try Folder(path: path, disk: Disk()).names().contains(spare) ? .failure(28) : nil
            } catch {
                return .failure(5)
            }
        }
        #expect(try errorCode { try log.put(bytes("w"), for: bytes("k")) } == .diskFull)
        #expect(try errorCode { _ = try journal.append(stamp: [], payload: []) } == .diskFull)
        #expect(try temporary.names("spare").count == 2)
        try log.remove(bytes("k"))
        #expect(!log.contains(bytes("k")))
        try journal.acknowledge([1])
        #expect(journal.liveCount == 0)
        #expect(try temporary.names("spare").isEmpty)
    }
}
