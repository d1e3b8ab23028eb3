//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import Signet
import SignetTesting
import SignetTransport

/// The apps of a trace: one installation each, opened, killed and ended as the trace says.
struct Apps {
    private let signet: EmulatedSignet
    private var running: [InstallationID: Installation] = [:]
    /// Ended in order; their sessions can still time out.
    private var ended: [InstallationID: Installation] = [:]

    init(signet: EmulatedSignet) {
        self.signet = signet
    }

    /// The running app of an installation.
    func app(_ id: InstallationID) -> Installation? {
        self.running[id]
    }

    /// The app starts: it opens its installation and learns who is in front of it.
    mutating func launch(_ id: InstallationID) async throws {
        self.ended[id] = nil
        let installation = try self.signet.runtime.open(id, deviceApplicationStamp: Self.stamp(of: id))
        self.running[id] = installation
        _ = try await installation.identified()
    }

    /// The process dies: whatever the runtime holds of the installation in memory is gone.
    mutating func kill(_ id: InstallationID) {
        self.running[id] = nil
        self.signet.runtime.evict(id)
    }

    /// The app ends in order.
    mutating func quit(_ id: InstallationID) {
        guard let installation = self.running.removeValue(forKey: id) else { return }
        installation.close()
        self.ended[id] = installation
    }

    /// Waits until every session whose time is over has ended.
    func waitForEnds() async {
        for installation in self.ended.values {
            while installation.currentSession != nil { await Task.yield() }
        }
    }

    /// A permanent id that is the same in every replay: a UUID of the hash of the name.
    private static func stamp(of id: InstallationID) -> UUID {
        var b = Array(SHA256.hash(Array(id.rawValue.utf8)).prefix(16))
        b[6] = b[6] & 0x0F | 0x40
        b[8] = b[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
                b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            )
        )
    }
}
