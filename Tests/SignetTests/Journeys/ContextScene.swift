// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport

@testable import Signet

/// Visitors of a server, each with a context of their own, and what the platform is told of it.
struct ContextScene {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let platform: Emulator

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    /// A process whose configuration names a device and an app.
    func process(
        in path: String? = nil,
        version: String = "1",
        _ configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(in: path ?? self.folder.path, platform: self.platform, clock: self.clock) {
            $0.application = ApplicationInformation(name: "Shop", version: version)
            var device = DeviceInformation()
            device.model = "server"
            $0.device = device
            $0.events.maximumBatchesPerSecond = nil
            configure(&$0)
        }
    }

    static func context(_ number: Int) -> InstallationContext {
        InstallationContext(ip: IPAddress("198.51.100.\(number)"), userAgent: "Browser \(number)")
    }

    /// What a batch says of where its events come from: the last number of the address, and the browser or the model.
    struct Origin: Hashable, CustomStringConvertible {
        var ip: String?
        var device: String?
        var version: String?

        static func visitor(_ number: Int, version: String = "1") -> Origin {
            Origin(ip: "198.51.100.\(number)", device: "Browser \(number)", version: version)
        }

        static let server = Origin(ip: nil, device: "server", version: "1")

        var description: String { "\(self.ip ?? "-") \(self.device ?? "-") \(self.version ?? "-")" }
    }

    /// All batches that the platform took: where they come from and the names or kinds of their events.
    var told: [(origin: Origin, events: [String])] {
        self.platform.batches().map { batch in
            let device = batch.json["device_info"]
            let origin = Origin(
                ip: batch.json["ip"]?.string,
                device: device?["http_header_user_agent"]?.string ?? device?["device_model"]?.string,
                version: batch.json["application_info"]?["application_version"]?.string
            )
            let events = (batch.json["events"]?.array ?? []).map { event in
                event["data"]?["event_name"]?.string ?? event["event_type"]?.string ?? ""
            }
            return (origin, events)
        }
    }

    /// Where each event comes from; those that came twice are there once.
    var origins: [String: Set<Origin>] {
        var origins: [String: Set<Origin>] = [:]
        for (origin, events) in self.told {
            for event in events { origins[event, default: []].insert(origin) }
        }
        return origins
    }
}
