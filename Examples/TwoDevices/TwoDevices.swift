// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetInfobip
import SignetModel

/// A phone and a tablet of one person: two runtimes, and Infobip between them.
struct TwoDevices {
    private let platform = Emulator()
    private static let ann = InfobipIdentity(emails: ["ann@example.com"], externalUserID: "ann")

    /// Lets it all happen.
    ///
    /// - Parameter folder: An empty one.
    /// - Returns: What happened.
    /// - Throws: What the devices threw.
    func play(in folder: String) async throws -> Story {
        try await self.run(folder + "/phone") { phone in
            try await self.run(folder + "/tablet") { tablet in try await self.play(phone, tablet) }
        }
    }

    private func run(_ directory: String, _ body: (SignetRuntime) async throws -> Story) async throws -> Story {
        let infobip = InfobipConfiguration(applicationCode: "emulated-application")
        return try await withSignet(
            self.configuration(directory),
            services: [InfobipService(infobip)],
            transport: self.platform.transport,
            body
        )
    }

    private func configuration(_ directory: String) -> SignetConfiguration {
        SignetConfiguration(
            apiKey: self.platform.configuration.apiKey,
            secret: self.platform.configuration.secret,
            directory: directory
        )
    }

    private func play(_ first: SignetRuntime, _ second: SignetRuntime) async throws -> Story {
        var story = Story(of: self.platform.infobip)
        story.scene("No user has logged in: each device is its own lead")
        let phone = try await Device("phone", first, pushToken: "0a01")
        let tablet = try await Device("tablet", second, pushToken: "0a02")
        try await phone.save { $0.customAttributes["drink"] = .set("espresso") }
        try await tablet.save { $0.customAttributes = ["drink": .set("tea"), "size": .set("large")] }
        story.tell(phone, "saves drink espresso; shows \(phone.shown)")
        story.tell(tablet, "saves drink tea, size large; shows \(tablet.shown)")
        story.showPlatform()

        try await self.logIn(phone, tablet, &story)
        try await self.goOffline(tablet, &story)

        story.scene("The phone makes the tablet the primary device")
        try await phone.profile.setPrimary(tablet.id)
        try await tablet.profile.fetchUser()
        story.tell(phone, "shows \(phone.shown)")
        story.tell(tablet, "shows \(tablet.shown)")
        story.showPlatform()

        try await self.loseThePhone(phone, tablet, &story)
        return story
    }

    private func logIn(_ phone: Device, _ tablet: Device, _ story: inout Story) async throws {
        story.scene("Ann logs in on the phone: its lead becomes a customer and keeps its data")
        var attributes = InfobipAttributes()
        attributes.firstName = "Ann"
        try await phone.profile.personalize(Self.ann, attributes: attributes, setDeviceAsPrimary: true)
        story.tell(phone, "shows \(phone.shown)")
        story.showPlatform()

        story.scene("Ann logs in on the tablet: its lead is merged, and the customer's drink stays")
        let user = try await tablet.profile.personalize(Self.ann)
        story.tell(tablet, "shows \(tablet.shown), \(user.installations.count) installations")
        story.showPlatform()
    }

    private func goOffline(_ tablet: Device, _ story: inout Story) async throws {
        story.scene("The tablet saves a name in a tunnel")
        self.platform.faults.injectAlways(.connectionRefused)
        let outcome = try await tablet.save { $0.lastName = .set("Lee") }
        story.tell(tablet, "\(outcome); shows \(tablet.profile.user.lastName ?? "no name")")
        story.showPlatform()
        self.platform.faults.clear()
        // An app calls this when the network is back; without it, the tablet tries again after a pause.
        try await tablet.profile.retry()
        try await tablet.profile.waitUntilIdle()
        story.tell(
            tablet,
            "after the tunnel: \(tablet.profile.hasPendingChanges ? "still pending" : "nothing is pending")"
        )
        story.showPlatform()
    }

    private func loseThePhone(_ phone: Device, _ tablet: Device, _ story: inout Story) async throws {
        story.scene("Ann lost the phone and logs it out from the tablet")
        let left = try await tablet.profile.depersonalizeInstallation(phone.id)
        story.tell(tablet, "\(left.count) installation left")
        story.tell(phone, "shows \(phone.shown): it has not fetched yet")
        try await phone.profile.fetchUser()
        story.tell(phone, "shows \(phone.shown)")
        story.showPlatform()
    }
}
