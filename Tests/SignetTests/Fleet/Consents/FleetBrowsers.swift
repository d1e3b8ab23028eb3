// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTesting
import Testing

@testable import Signet

/// The browsers of a customer, each on a replica of its own.
struct FleetBrowsers {
    let fleet: TestFleet
    let one: Installation
    let two: Installation
    let mpid: MPID

    init(_ fleet: TestFleet) async throws {
        self.fleet = fleet
        self.one = try await fleet[0].open("one")
        self.two = try await fleet[1].open("two")
        self.mpid = try await self.one.login([.customerID: "c"]).user.mpid
        try await self.two.login([.customerID: "c"])
    }

    /// What the platform knows of the customer's answer.
    var isGiven: Bool? { self.fleet.platform.user(self.mpid)?.consent?.gdpr["ads"]?.isGiven }

    var batches: [EmulatedBatch] { self.fleet.platform.batches().filter { $0.mpid == self.mpid } }

    /// The number of page views that have arrived.
    var views: Int { self.fleet.platform.events(of: self.mpid).count { $0.type == "screen_view" } }

    /// The record of the customer in the store.
    var record: UserConsent? {
        self.fleet.engine.database.consents[self.mpid].flatMap { UserConsent($0.consent.state) }
    }

    /// A page view that is delivered, and noted in the store.
    func view(_ browser: Installation, on replica: Int) async throws {
        try browser.log(.screen("page"))
        try await self.upload(replica)
        try await self.fleet.pass(3)
    }

    func upload(_ replica: Int) async throws {
        let runtime = self.fleet[replica].runtime
        _ = try await self.fleet.passing { try await runtime.upload() }
    }

    func answer(_ consent: ConsentState?, on browser: Installation) async throws {
        self.fleet.clock.advance(by: .milliseconds(10))
        try await browser.setConsent(consent)
    }

    /// Waits for what follows by itself.
    func until(_ what: String, _ isMet: () -> Bool) async throws {
        for _ in 0..<60 where !isMet() { try await self.fleet.pass(1) }
        #expect(isMet(), "\(what)")
    }

    /// Runs a body with the browsers of a customer on servers with their defaults, and an hour between uploads.
    static func run(
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (FleetBrowsers) async throws -> Void
    ) async throws {
        let fleet = try TestFleet { configuration in
            // A server's defaults.
            configuration.sessions = SignetConfiguration.Sessions()
            configuration.events = SignetConfiguration.Events()
            configuration.events.uploadInterval = .seconds(3600)
            configure(&configuration)
        }
        try await fleet.run { fleet in
            try await body(try await FleetBrowsers(fleet))
            #expect(fleet.platform.refusedBatches() == [])
        }
    }
}
