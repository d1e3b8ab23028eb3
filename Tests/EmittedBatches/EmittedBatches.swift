// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetModel
import SignetTesting
import SignetTransport

/// Logs each kind of event that an app can log, many times and with all sorts of fields, and prints the batches that went
/// out, one a line: for `.ci/validate-batches`, which holds them against the published schema.
@main
struct EmittedBatches {
    private static let rounds = 40

    static func main() async throws {
        var chance = Chance(seed: Self.seed)
        FileHandle.standardError.write(Data("SIGNET_SEED=\(chance.seed)\n".utf8))
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-batches-\(UUID().uuidString)")
        defer { Self.remove(folder) }
        let signet = try EmulatedSignet(in: folder.path()) { configuration in
            configuration.useApplicationDefaults()
            configuration.application = ApplicationInformation(
                name: "Shop",
                version: "2.1",
                build: "7",
                package: "com.example.shop",
                system: .desktop
            )
            configuration.device = Self.device
        }
        try await signet.run { signet in
            for round in 0..<Self.rounds {
                let visitor = try await signet.runtime.open(InstallationID("visitor-\(round % 4)"))
                try await visitor.login([.customerID: "c-\(round % 3)", .email: "\(round % 3)@example.com"])
                try await visitor.setAttribute(chance.value(), for: "attribute \(round % 5)")
                try await visitor.setAttribute(["a", 1, true, .null], for: "list")
                try await Self.changeUser(of: visitor, round, &chance)
                try visitor.beginTimedEvent(.custom("timed"))
                try visitor.leaveBreadcrumb("round \(round)")
                try await visitor.setSessionAttribute(.integer(Int64(round)), for: "round")
                try visitor.enterBackground()
                if chance.oneIn(2) { signet.clock.advance(by: .seconds(90)) }
                try visitor.enterForeground(launchReferral: chance.perhaps("shop://deal"))
                for event in chance.events() { try visitor.log(event) }
                signet.clock.advance(by: .seconds(45))
                try visitor.endTimedEvent("timed")
            }
        }
        for exchange in signet.transport.exchanges where exchange.endpoint == "events" {
            print(String(decoding: exchange.request.body, as: UTF8.self))
        }
    }

    /// What the runtime tells of by itself: attributes that come and go, identities, consent, an opt-out.
    private static func changeUser(of visitor: Installation, _ round: Int, _ chance: inout Chance) async throws {
        try await visitor.setTag("tag")
        let attributes: [String: String] = chance.oneIn(4) ? [:] : ["vid": "visitor \(round)", "empty": ""]
        try await visitor.setIntegrationAttributes(attributes, ofIntegration: 11 + round % 2)
        try await visitor.incrementAttribute("rounds", by: chance.oneIn(2) ? 1 : 0.5)
        try await visitor.removeAttribute("attribute \(chance.oneIn(2) ? 0 : 1)")
        try await visitor.modify([.other: chance.oneIn(2) ? "other" : nil])
        let consent = Consent(
            chance.oneIn(2),
            document: chance.perhaps("terms"),
            location: chance.perhaps("Berlin"),
            hardwareID: chance.perhaps("hw")
        )
        try await visitor.setConsent(ConsentState(gdpr: ["Ads": consent], ccpaDataSaleOptOut: chance.perhaps(consent)))
        if chance.oneIn(4) { try await visitor.setConsent(nil) }
        guard round % 10 == 9 else { return }
        try await visitor.setOptedOut(true)
        try await visitor.setOptedOut(false)
        // The choice has ended the session, and neither a breadcrumb nor an attribute begins one in an app.
        try await visitor.beginSession()
    }

    private static var device: DeviceInformation {
        var device = DeviceInformation()
        device.manufacturer = "Example"
        device.model = "One"
        device.systemVersion = "6.1"
        device.processorArchitecture = "x86_64"
        device.localeLanguage = "de"
        device.localeCountry = "DE"
        device.timeZoneOffset = 1
        device.userAgent = "Shop/2.1"
        (device.screenWidth, device.screenHeight) = (1920, 1080)
        return device
    }

    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["SIGNET_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    }

    private static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            FileHandle.standardError.write(Data("\(folder.path()) was not removed: \(error)\n".utf8))
        }
    }
}
