// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Signet
import SignetTestSupport
import Synchronization
import Testing

import struct Foundation.Data
import class Foundation.FileManager
import struct Foundation.URL

@testable import SignetTool

/// A directory that is in use while it is looked into.
@Suite(.watched) struct DirectoryCaptureTests {
    private final class Ending: Sendable {
        let hasBegun = Atomic(false)
        let hasCome = Atomic(false)
    }

    @Test func filesThatComeAndGoMeanwhileAreNoFault() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            try await Self.churning(folder) {
                for _ in 0..<100 {
                    let events = try DirectoryCopy.survey(folder) { survey in
                        var events = 0
                        try survey.readEvents { _ in
                            events += 1
                            return true
                        }
                        return events
                    }
                    #expect(events == 3)
                }
            }
        }
    }

    @Test func aCopyHasTheFilesOfOneMoment() async throws {
        try await RuntimeFolder.with { folder in
            for part in DirectoryCapture.parts {
                try FileManager.default.createDirectory(atPath: folder + "/" + part, withIntermediateDirectories: false)
            }
            try await Self.churning(folder) {
                for number in 0..<100 {
                    let copy = "\(folder)/copy-\(number)"
                    try DirectoryCapture(folder).copy(to: copy, until: Interruption())
                    let names = try FileManager.default.contentsOfDirectory(atPath: copy + "/state")
                    #expect((1...2).contains(names.count), "at each moment there were one or two: \(names)")
                    for name in names {
                        let bytes = try Data(contentsOf: URL(filePath: "\(copy)/state/\(name)"))
                        #expect(bytes == Data(name.utf8), "\(name)")
                    }
                }
            }
        }
    }

    @Test func whatIsHeldBackOrUnfinishedIsNotCopied() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            try Data("x".utf8).write(to: URL(filePath: folder + "/state/00000000000000ff.log.tmp"))
            try DirectoryCapture(folder).copy(to: folder + "/copy", until: Interruption())
            for part in DirectoryCapture.parts {
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/copy/\(part)")
                #expect(!names.isEmpty && names.allSatisfy { $0.contains(".") }, "\(names)")
                #expect(!names.contains { $0.hasSuffix("tmp") || $0.hasSuffix("lock") || $0.hasSuffix("spare") })
            }
        }
    }

    /// Runs a body while the state has a new file now and then, and the one before is removed, as at a compaction.
    private static func churning(_ folder: String, _ body: @Sendable () throws -> Void) async throws {
        let ending = Ending()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var last: String?
                var number = 0
                while !ending.hasCome.load(ordering: .relaxed) {
                    number += 1
                    let name = "churn-\(number)"
                    // Complete when it has its name, as the runtime's are.
                    let path = folder + "/state/" + name
                    try Data(name.utf8).write(to: URL(filePath: path + ".tmp"))
                    try FileManager.default.moveItem(atPath: path + ".tmp", toPath: path)
                    if let last { try FileManager.default.removeItem(atPath: folder + "/state/" + last) }
                    last = name
                    ending.hasBegun.store(true, ordering: .relaxed)
                    // Whoever waits for this thread may be whom another test waits for.
                    await Task.yield()
                }
            }
            await until("the first new file") { ending.hasBegun.load(ordering: .relaxed) }
            let result = Result { try body() }
            ending.hasCome.store(true, ordering: .relaxed)
            try await group.waitForAll()
            try result.get()
        }
    }
}
#endif
