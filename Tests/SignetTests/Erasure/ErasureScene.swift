// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A directory with one user in every place that there is, another user beside them, and some events of nobody.
///
/// Everything of the first user has the word `erased` in it, but for the MPID.
struct ErasureScene {
    /// No session ends while a scene lasts.
    private static let session = Duration.seconds(1_000_000)

    let folder: TemporaryFolder
    let clock = ManualClock()
    let platform: Emulator
    let storage: Journal.Options.Storage
    let erased: MPID
    let other: MPID

    /// Plays the first process: some is delivered, some is set aside, some is on its way when it ends.
    init(_ storage: Journal.Options.Storage = .automatic) async throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
        self.storage = storage
        let signet = try Self.signet(in: self.folder.path, self.platform, clock, storage)
        let platform = self.platform
        (self.erased, self.other) = try await signet.run { signet in
            let runtime = signet.runtime
            let a = try await runtime.open("a", identify: .none)
            try a.log(.custom("erased_before"))
            let erased = try await a.login([.customerID: "erased-customer", .email: "erased@example.com"]).user.mpid
            try await a.setAttribute("erased-gold", for: "tier")
            try a.log(.custom("erased_delivered"))
            let b = try await runtime.open("b", identify: .none)
            let other = try await b.login([.customerID: "customer-2"]).user.mpid
            try b.log(.custom("other_delivered"))
            try await runtime.upload()
            // Known here, but somebody else is current.
            try await b.login([.customerID: "erased-customer"])
            try b.log(.custom("erased_on_b"))
            try await b.login([.customerID: "customer-2"])
            try await runtime.upload()
            platform.faults.inject(.status(400), on: .events)
            try a.log(.custom("erased_refused"))
            try await runtime.upload()
            platform.faults.injectAlways(.connectionRefused, on: .events)
            try a.log(.custom("erased_waiting"))
            try b.log(.custom("other_waiting"))
            await #expect(throws: SignetError.self) { try await runtime.upload() }
            let c = try await runtime.open("c", identify: .none)
            try c.log(.custom("of_nobody"))
            return (erased, other)
        }
        platform.faults.clear()
    }

    /// The next process, with more events of both.
    func secondProcess(
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) async throws -> EmulatedSignet {
        let signet = try Self.signet(
            in: self.folder.path,
            self.platform,
            self.clock,
            self.storage,
            observer: observer,
            configure: configure
        )
        let a = try await signet.runtime.open("a", identify: .none)
        let b = try await signet.runtime.open("b", identify: .none)
        try await a.setAttribute("erased-platinum", for: "tier")
        for index in 0..<12 {
            try a.log(.custom("erased_more_\(index)"))
            try b.log(.custom("other_more_\(index)"))
        }
        try a.beginTimedEvent(.custom("erased_timed"))
        let alias = AliasRecord(
            id: .random(),
            installation: "a",
            deviceApplicationStamp: a.deviceApplicationStamp,
            source: self.erased,
            destination: self.other,
            start: self.clock.milliseconds - 1000,
            end: self.clock.milliseconds,
            lastEvent: signet.runtime.context.journal.lastSequence
        )
        try signet.runtime.context.store.put(alias.encoded(), for: StateKey.alias(alias.id))
        signet.runtime.managers.aliases.add(alias)
        return signet
    }

    /// What the other user still has to deliver in the second process.
    static let others = Set(["other_waiting"] + (0..<12).map { "other_more_\($0)" })

    static func signet(
        in path: String,
        _ platform: Emulator,
        _ clock: ManualClock,
        _ storage: Journal.Options.Storage,
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: path,
            platform: platform,
            clock: clock,
            observer: observer,
            configure: {
                $0.sessions.timeout = Self.session
                $0.events.maximumBatchesPerSecond = nil
                $0.journal.storage = storage
                $0.journal.segmentBytes = 4 << 10
                configure(&$0)
            }
        )
    }

    /// The files that have something of the user, and what.
    func traces(in path: String? = nil) throws -> [String] {
        var number = self.erased.rawValue.littleEndian
        let needles = [
            Data("erased".utf8), Data(self.erased.description.utf8), Data(bytes: &number, count: 8),
        ]
        let root = path ?? self.folder.path
        var traces: [String] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() {
            guard let file = FileManager.default.contents(atPath: "\(root)/\(name)") else { continue }
            for (index, needle) in needles.enumerated() where file.range(of: needle) != nil {
                traces.append("\(name): \(["words", "digits", "bytes"][index])")
            }
        }
        return traces
    }

    /// What is owed in a copy of a directory after a day in which nobody returns.
    func owedAfterADay(in path: String) async throws -> [DueWorkReport.Entry] {
        let folder = try TemporaryFolder(copying: path)
        let clock = ManualClock(startingAt: self.clock.date)
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let signet = try Self.signet(in: folder.path, platform, clock, self.storage)
        return try await signet.owedAfterADay(in: folder.path, session: Self.session)
    }

    /// Delivers what is left in a directory to a platform of its own.
    ///
    /// - Returns: The names of the events of both users, with those that came twice twice; nil for a user who is still
    ///   current on `a`, as the erasure has not begun.
    func deliver(from path: String) async throws -> (others: [String], erased: [String], isErased: Bool) {
        let (clock, storage) = (ManualClock(startingAt: self.clock.date), self.storage)
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let signet = try Self.signet(in: path, platform, clock, storage)
        let isErased = try await signet.run { signet in
            // The pause of the process before is known then.
            await signet.takeIn()
            await signet.runtime.resumeUploads()
            let a = try await signet.runtime.open("a", identify: .none)
            try await signet.runtime.upload()
            return a.currentUser == nil
        }
        #expect(signet.runtime.statistics.eventsLost == 0)
        let names = [self.other, self.erased].map { platform.events(of: $0).compactMap(\.name) }
        return (names[0].filter { $0 != "of_nobody" }, names[1], isErased)
    }
}
