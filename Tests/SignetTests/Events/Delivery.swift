// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

extension EmulatedSignet {
    /// The bodies of all event requests, oldest first.
    var eventBodies: [[UInt8]] {
        self.transport.exchanges.filter { $0.endpoint == "events" }.map(\.request.body)
    }

    /// Opens an installation and waits until its user is known and everything so far is delivered or waits for company.
    func openKnown(_ id: InstallationID = "v") async throws -> Installation {
        let installation = try await self.runtime.open(id)
        _ = try await installation.initialIdentifyResult()
        await self.takeIn()
        return installation
    }

    /// Lets the queue see what has been logged, at the time that it is now.
    func takeIn() async {
        _ = await self.runtime.managers.events.firstSettled([])
    }

    /// Logs a purchase, which is delivered within a second, and lets that second pass.
    func logPrompt(_ installation: Installation) async throws {
        try installation.log(.purchase(Purchase(transactionID: "t", total: 1)))
        await self.takeIn()
        self.clock.advance(by: .seconds(1))
    }
}

extension Emulator {
    /// How often each event is there, by its message id.
    func copies(of mpid: MPID) -> [Int] {
        Dictionary(grouping: self.events(of: mpid), by: \.messageID).values.map(\.count)
    }
}
