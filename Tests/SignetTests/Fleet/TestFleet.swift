// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Replicas on one emulated platform and one shared store, with one clock that the test moves.
struct TestFleet {
    /// One replica.
    struct Replica {
        let signet: EmulatedSignet
        let store: MemorySharedStore
        let folder: TemporaryFolder

        init(_ signet: EmulatedSignet, _ store: MemorySharedStore, _ folder: TemporaryFolder) {
            (self.signet, self.store, self.folder) = (signet, store, folder)
        }

        var runtime: SignetRuntime { self.signet.runtime }

        /// Opens an installation.
        func open(_ id: InstallationID = "visitor") async throws -> Installation {
            try await self.runtime.open(id, identify: .none)
        }
    }

    let clock = ManualClock()
    let platform: Emulator
    let engine: MemorySharedEngine
    private(set) var replicas: [Replica] = []

    /// Makes replicas that do not run yet.
    ///
    /// - Parameters:
    ///   - count: Their number.
    ///   - emulator: The platform's behaviour.
    ///   - whenUnreachable: What `open` does without the store.
    ///   - observers: The observers of the first replicas.
    ///   - offsets: What the machines of the first replicas are ahead of the clock.
    ///   - maximumStaleness: The age of a reading that is too old for an event; nil for none.
    ///   - configure: Changes the configuration of each.
    /// - Throws: The errors of the runtimes.
    init(
        _ count: Int = 2,
        emulator: EmulatorConfiguration = EmulatorConfiguration(),
        whenUnreachable: FleetConfiguration.Unreachable = .fail,
        observers: [RecordingObserver] = [],
        offsets: [Locked<Duration>] = [],
        maximumStaleness: Duration? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws {
        let clock = self.clock
        self.platform = Emulator(emulator, clock: clock, wallClock: { clock.date })
        self.engine = MemorySharedEngine(time: { clock.milliseconds })
        for index in 0..<count {
            let (folder, store) = (try TemporaryFolder(), MemorySharedStore(self.engine))
            let signet = try EmulatedSignet(
                in: folder.path,
                platform: self.platform,
                clock: clock,
                observer: index < observers.count ? observers[index] : nil
            ) { configuration in
                if index < offsets.count {
                    let offset = offsets[index]
                    configuration.time = TimeSource(
                        clock: clock,
                        milliseconds: { clock.milliseconds + offset.withLock { $0.milliseconds } }
                    )
                }
                configuration.fleet = FleetConfiguration(
                    store: store,
                    whenUnreachable: whenUnreachable,
                    maximumStaleness: maximumStaleness
                )
                configuration.events.uploadInterval = .seconds(3600)
                configure(&configuration)
            }
            self.replicas.append(Replica(signet, store, folder))
        }
    }

    subscript(index: Int) -> Replica { self.replicas[index] }

    /// The directory of a replica as it is now: what a kill leaves behind, or a backup.
    func image(of index: Int) throws -> TemporaryFolder {
        try TemporaryFolder(copying: self.replicas[index].folder)
    }

    /// Makes another process, which does not run yet, on a directory.
    func process(in folder: TemporaryFolder, observer: RecordingObserver? = nil) throws -> Replica {
        let store = MemorySharedStore(self.engine)
        let signet = try EmulatedSignet(
            in: folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: observer
        ) {
            $0.fleet = FleetConfiguration(store: store)
            $0.events.uploadInterval = .seconds(3600)
        }
        return Replica(signet, store, folder)
    }

    /// Runs all replicas for the duration of a body.
    func run(_ body: (TestFleet) async throws -> Void) async throws {
        try await self.run(self.replicas[...], body)
    }

    private func run(_ left: ArraySlice<Replica>, _ body: (TestFleet) async throws -> Void) async throws {
        guard let first = left.first else { return try await body(self) }
        try await first.signet.run { _ in try await self.run(left.dropFirst(), body) }
    }

    /// Lets time pass in steps of a second; each running replica tells the store of itself in each.
    func pass(_ seconds: Int, besides absent: Set<Int> = []) async throws {
        for _ in 0..<seconds {
            self.clock.advance(by: .seconds(1))
            for _ in 0..<50 { await Task.yield() }
            // A loop that was at work when the clock moved sleeps from then on: it needs a moment more.
            var turns = 0
            await until("a flush of each replica") {
                turns += 1
                if turns % 100 == 0 { self.clock.advance(by: .milliseconds(300)) }
                let now = self.engine.milliseconds
                let beats = self.engine.database.replicas.values.compactMap(\.beat)
                return beats.count { $0 >= now - 1000 } >= self.replicas.count - absent.count
            }
        }
    }

    /// Lets time pass until a call has ended.
    func passing<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let isOver = Locked(false)
        async let value = {
            defer { isOver.withLock { $0 = true } }
            return try await body()
        }()
        var turns = 0
        await until("the end of a call") {
            turns += 1
            // A call that needs more than a second waits for nothing but time.
            if turns % (turns > 2000 ? 20 : 200) == 0 { self.clock.advance(by: .milliseconds(100)) }
            return isOver.withLock { $0 }
        }
        return try await value
    }

    /// Sends all events of all replicas.
    func upload() async throws {
        for replica in self.replicas { try await self.upload(replica.runtime) }
    }

    private func upload(_ runtime: SignetRuntime) async throws {
        for _ in 0..<20 {
            do {
                _ = try await runtime.upload()
                return
            } catch {
                // The clock was faster than a request.
                guard error.code == .uploadPaused else { throw error }
            }
            try await self.pass(10)
        }
    }

    /// All events that the platform has, in the order of their times.
    var events: [EmulatedEvent] {
        self.platform.users().flatMap { self.platform.events(of: $0.mpid) }.sorted { $0.timestamp < $1.timestamp }
    }

    /// The number of events of a type.
    func count(_ type: String) -> Int {
        self.events.count { $0.type == type }
    }

    /// The row of an installation.
    func row(_ id: InstallationID = "visitor") throws -> SharedInstallation {
        try #require(self.engine.database.rows.values.map(\.installation).first { $0.id == id })
    }

    /// Changes the row of an installation behind the replicas' backs.
    func change(_ id: InstallationID = "visitor", _ body: (inout SharedCommit) throws -> Void) async throws {
        let row = try self.row(id)
        var commit = SharedCommit(id, key: row.key, if: .tag(row.tag), tag: .random())
        try body(&commit)
        let outcomes = try await MemorySharedStore(self.engine).commit([commit]).value
        #expect(outcomes == [.committed])
    }
}
