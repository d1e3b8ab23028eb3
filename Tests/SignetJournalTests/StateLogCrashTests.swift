// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// What a process had been told is written must be there after it was killed, wherever that hit it.
struct StateLogCrashTests {
    @Test func whatAKilledProcessPutIsThere() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            var options = StateLog.Options()
            options.fileBytes = 5000
            let log = try StateLog(directory: path, options: options)
            for number in 0..<1000 {
                let isDue = number.isMultiple(of: 7)
                try log.put(bytes("value \(number)"), for: bytes("key \(number % 300)"), isDue: isDue)
                if number == 500 { try log.compact() }
            }
            for number in 0..<10 { try log.put(bytes("\(number)"), for: bytes("late \(number)")) }
            try log.remove(bytes("key 7"))
            kill(getpid(), SIGKILL)
        }
        let log = try StateLog(directory: folder.path)
        var report = RecoveryReport()
        report.records = 309
        #expect(log.recovery == report)
        for number in 700..<1000 where number % 300 != 7 {
            #expect(try log.value(for: bytes("key \(number % 300)")) == bytes("value \(number)"))
            #expect(log.isDue(bytes("key \(number % 300)")) == number.isMultiple(of: 7))
        }
        #expect(!log.contains(bytes("key 7")))
        #expect(!log.isDue(bytes("key 7")))
        for number in 0..<10 {
            #expect(try log.value(for: bytes("late \(number)")) == bytes("\(number)"))
        }
    }

    @Test func aKillInTheMiddleOfAWriteCostsOnlyThatWrite() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            var options = StateLog.Options()
            options.disk = Disk { call, _ in
                guard call == .write else { return nil }
                let writes = progress.withLock { count in
                    count += 1
                    return count
                }
                if writes == 101 { kill(getpid(), SIGKILL) }
                return writes == 100 ? .short(11) : nil
            }
            let log = try StateLog(directory: path, options: options)
            progress.withLock { $0 = 0 }
            for number in 1...1000 {
                try log.put(bytes("value \(number)"), for: bytes("key"))
            }
        }
        let log = try StateLog(directory: folder.path)
        #expect(log.recovery.tornBytes == 11)
        // One of the hundred writes was the header of the file.
        #expect(try log.value(for: bytes("key")) == bytes("value 98"))
    }

    /// Before every single call to the disk, a copy of the folder is taken: what a kill at that moment would leave.
    @Test func aCrashBeforeAnyCallLeavesTheStateBeforeOrAfterTheChange() throws {
        let folder = try TemporaryFolder()
        let images = Locked([(change: Int, folder: TemporaryFolder)]())
        let change = Locked(0)
        let failure = Locked<String?>(nil)
        var options = StateLog.Options()
        options.fileBytes = 250
        options.disk = Disk { call, _ in
            guard change.withLock({ $0 > 0 }), call != .read else { return nil }
            do {
                let image = try TemporaryFolder(imageOf: folder)
                images.withLock { $0.append((change.withLock { $0 }, image)) }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            // Every write comes in pieces, so that there are moments within it.
            return call == .write ? .short(17) : nil
        }
        let log = try StateLog(directory: folder.path, options: options)
        var states: [[String: String]] = [[:]]
        for number in 1...24 {
            change.withLock { $0 = number }
            var state = states[number - 1]
            switch number {
            case 8, 16, 20:
                try log.compact()
            case 5, 13, 18:
                try log.remove(bytes("key \(number % 3)"))
                state["key \(number % 3)"] = nil
            case 10:
                try log.sync()
            default:
                let value = number.isMultiple(of: 2) ? "due \(number)" : "value \(number)"
                try SampleLog.put(value, for: "key \(number % 3)", in: log)
                state["key \(number % 3)"] = value
            }
            states.append(state)
        }
        let taken = images.withLock { $0 }
        #expect(failure.withLock { $0 } == nil)
        #expect(taken.count > 150)
        for (position, image) in taken.enumerated() {
            let again = try StateLog(directory: image.folder.path)
            let state = try SampleLog.state(of: again)
            let isFine = state == states[image.change - 1] || state == states[image.change]
            #expect(isFine, "image \(position) in change \(image.change)")
            #expect(again.recovery.damagedRecords == 0, "image \(position) in change \(image.change)")
            #expect(again.recovery.setAsideFiles.allSatisfy { $0.hasSuffix(".torn") })
            try again.put(bytes("new"), for: bytes("new"))
            again.close()
            let third = try StateLog(directory: image.folder.path)
            #expect(try SampleLog.state(of: third) == state.merging(["new": "new"]) { $1 }, "image \(position)")
            #expect(third.recovery.tornBytes == 0)
        }
    }
}

/// Counts in the child process of an exit test, whose body cannot capture a reference.
private let progress = Locked(0)
