// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetEmulator
import SignetTransport

/// The devices in the batches of a user.
struct DeviceReport: Sendable {
    /// The maximum number of devices per user.
    static let limit = 50

    private struct Device: Hashable {
        let device: [String: String]
        let application: [String: String]
        let address: String?
    }

    private struct Use {
        var last: Int64
        var events = 0
    }

    private var uses: [Device: Use] = [:]

    init(_ batches: [EmulatedBatch]) {
        for batch in batches {
            let device = Device(device: batch.deviceInfo, application: batch.applicationInfo, address: batch.ip)
            let time = batch.receivedAt.milliseconds
            self.uses[device, default: Use(last: time)].last = time
            self.uses[device, default: Use(last: time)].events += batch.eventCount
        }
    }

    /// Writes the devices, last used first.
    func write(to writer: inout JSONWriter) {
        let newest = self.uses.map { ($0, $1, Self.text($0.device)) }
            .sorted { ($1.1.last, $0.2) < ($0.1.last, $1.2) }
        writer.beginArray()
        for (device, use, text) in newest.prefix(Self.limit) {
            writer.beginObject()
            writer.member("device", text)
            writer.member("application", Self.text(device.application))
            if let address = device.address { writer.member("ip", address) }
            writer.member("last", use.last)
            writer.member("events", use.events)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func text(_ members: [String: String]) -> String {
        members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
#endif
