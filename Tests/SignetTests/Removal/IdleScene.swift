// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A directory with installations of which nothing waits, used by an earlier process.
struct IdleScene {
    static let day = Duration.seconds(86_400)

    let folder: TemporaryFolder
    let clock = ManualClock()
    let platform: Emulator
    /// The installations with their users.
    let users: [InstallationID: MPID]

    /// Plays the first process.
    init(_ ids: [InstallationID] = ["a", "b", "c"]) async throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
        let first = try EmulatedSignet(in: self.folder.path, platform: self.platform, clock: clock) {
            // Each installation has a batch of its own, and the clock stands still.
            $0.events.maximumBatchesPerSecond = nil
        }
        self.users = try await first.run { signet in
            var users: [InstallationID: MPID] = [:]
            for id in ids {
                let visitor = try await signet.runtime.open(id, identify: .none)
                users[id] = try await visitor.login([.customerID: "c-\(id.rawValue)"]).user.mpid
                try visitor.leaveBreadcrumb("here")
                try visitor.log(.custom("x"))
                try await visitor.endSession()
            }
            try await signet.runtime.upload()
            return users
        }
    }

    /// A later process.
    func start(
        in path: String? = nil,
        observer: (any SignetObserver)? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: path ?? self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: observer
        ) {
            $0.installations.retention = nil
            configure(&$0)
        }
    }
}

extension EmulatedSignet {
    /// The installations that are on disk.
    var stored: [String] {
        get throws {
            try self.runtime.context.store.keys(withPrefix: StateKey.identities)
                .map { String(decoding: $0.dropFirst(), as: UTF8.self) }.sorted()
        }
    }
}
