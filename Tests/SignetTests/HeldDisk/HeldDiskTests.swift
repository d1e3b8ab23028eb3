// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Tasks go on while others wait for a disk that answers nothing.
///
/// Each call is made by more tasks than the cooperative pool has threads: a flush on threads of the pool would hold all of them.
@Suite(.watched) struct HeldDiskTests {
    /// The calls that need a flush.
    enum Call: CaseIterable {
        case sync
        case optOut
        case eraseUser
        case reset
    }

    private struct Visitor: Sendable {
        let installation: Installation
        let mpid: MPID
    }

    private static let tasks = 64

    private static func open(on runtime: SignetRuntime) async throws -> [Visitor] {
        var visitors: [Visitor] = []
        for number in 0..<Self.tasks {
            let installation = try await runtime.open(InstallationID("v\(number)"), identify: .none)
            let user = try await installation.login([.customerID: "c-\(number)"]).user
            try installation.log(.custom("before"))
            visitors.append(Visitor(installation: installation, mpid: user.mpid))
        }
        return visitors
    }

    private static func make(_ call: Call, _ visitor: Visitor, _ runtime: SignetRuntime) async throws {
        switch call {
        case .sync: try await runtime.sync()
        case .optOut: try await visitor.installation.setOptedOut(true)
        case .eraseUser: try await runtime.eraseUser(visitor.mpid)
        case .reset: try await visitor.installation.reset()
        }
    }

    @Test(arguments: Call.allCases) func otherTasksGoOnWhileTheDiskIsHeld(_ call: Call) async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                $0.disk = held.disk
                // The clock stands still.
                $0.events.maximumBatchesPerSecond = nil
            }
        ) { signet in
            let visitors = try await Self.open(on: signet.runtime)
            let other = try await signet.runtime.open("other", identify: .none)
            held.hold()
            try await withThrowingTaskGroup(of: Void.self) { waiting in
                defer { held.letGo() }
                for visitor in visitors {
                    waiting.addTask { try await Self.make(call, visitor, signet.runtime) }
                }
                await until("a flush of \(call)") { held.isWaitedFor }
                try await Self.goOn(signet.runtime, other)
                // The queue waits for no flush where it ends opt-outs.
                if call == .optOut { try await signet.runtime.upload() }
                #expect(held.isWaitedFor, "The disk was let go too early.")
                held.letGo()
                try await waiting.waitForAll()
            }
            #expect(held.ofTasks == [])
        }
    }

    /// Other tasks, more than the pool has threads: each gives way to others, logs, opens and looks at the counts.
    private static func goOn(_ runtime: SignetRuntime, _ other: Installation) async throws {
        let before = runtime.statistics.eventsAccepted
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.tasks {
                group.addTask {
                    await Task.yield()
                    try other.log(.custom("meanwhile"))
                    let new = try await runtime.open(InstallationID("new\(number)"), identify: .none)
                    try new.log(.custom("meanwhile"))
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        #expect(runtime.statistics.eventsAccepted >= before + 2 * Self.tasks)
    }

    @Test func newVisitorsLogWhileTheDiskIsHeld() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let first = try await signet.runtime.open("first", identify: .none)
            try first.log(.custom("one"))
            let numbers = signet.runtime.context.numbers
            await until("a block of numbers ahead") { numbers.isReservedAhead }
            held.hold()
            defer { held.letGo() }
            // More than the rest of the first block.
            for number in 0..<1100 {
                let visitor = try await signet.runtime.open(InstallationID("v\(number)"), identify: .none)
                try visitor.log(.custom("one"))
            }
            await until("the flush of the block after") { held.isWaitedFor }
            #expect(held.ofTasks == [])
        }
    }

    @Test func theFirstNewVisitorOfAProcessWaitsForNoFlush() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            held.hold()
            defer { held.letGo() }
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("one"))
            #expect(held.ofTasks == [])
        }
    }

    @Test func aFlushWaitsForNoCompaction() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(in: folder.path, configure: { $0.disk = held.disk }) { signet in
            let visitors = try await Self.open(on: signet.runtime)
            held.hold(HeldDisk.isOfCompaction)
            try await withThrowingTaskGroup(of: Void.self) { waiting in
                defer { held.letGo() }
                let mpid = visitors[0].mpid
                waiting.addTask { try await signet.runtime.eraseUser(mpid) }
                await until("the compaction of an erasure") { held.isWaitedFor }
                try await signet.runtime.sync()
                try await visitors[1].installation.setOptedOut(true)
                #expect(held.isWaitedFor, "The disk was let go too early.")
                held.letGo()
                try await waiting.waitForAll()
            }
            #expect(held.ofTasks == [])
        }
    }

    @Test func uploadsGoOnWhileTheDiskIsHeld() async throws {
        let folder = try TemporaryFolder()
        let held = HeldDisk()
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                $0.disk = held.disk
                // The clock stands still.
                $0.events.maximumBatchesPerSecond = nil
            }
        ) { signet in
            let visitors = try await Self.open(on: signet.runtime)
            held.hold()
            try await withThrowingTaskGroup(of: Void.self) { waiting in
                defer { held.letGo() }
                for _ in 0..<Self.tasks { waiting.addTask { try await signet.runtime.sync() } }
                await until("a flush") { held.isWaitedFor }
                // Batches are written to the page cache; the platform answers at once.
                for visitor in visitors { try visitor.installation.log(.custom("now")) }
                try await signet.runtime.upload()
                #expect(held.isWaitedFor, "The disk was let go too early.")
                held.letGo()
                try await waiting.waitForAll()
            }
            #expect(held.ofTasks == [])
        }
    }
}
