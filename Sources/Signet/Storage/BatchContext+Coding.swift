// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension BatchContext {
    /// The JSON on disk.
    func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 256)
        writer.beginObject()
        if let plan = self.plan {
            writer.member("plan", plan.id)
            if let version = plan.version { writer.member("planVersion", Int64(version)) }
        }
        if let environment = self.environment { writer.member("environment", environment.rawValue) }
        if let ip = self.ip { writer.member("ip", ip.description) }
        if let application = self.application {
            writer.key("application")
            writer.beginObject()
            writer.texts([
                ("name", application.name), ("version", application.version), ("build", application.build),
                ("package", application.package), ("system", application.system?.description),
            ])
            writer.endObject()
        }
        if let device = self.device {
            writer.key("device")
            writer.beginObject()
            writer.texts([
                ("manufacturer", device.manufacturer), ("model", device.model), ("systemVersion", device.systemVersion),
                ("processor", device.processorArchitecture), ("language", device.localeLanguage),
                ("country", device.localeCountry), ("userAgent", device.userAgent),
            ])
            for (name, number) in [
                ("timeZone", device.timeZoneOffset), ("width", device.screenWidth), ("height", device.screenHeight),
            ] {
                if let number { writer.member(name, Int64(number)) }
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// Reads the JSON on disk.
    ///
    /// Members that cannot be read stay empty.
    init(_ bytes: [UInt8]) {
        self.init()
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(bytes) } catch { return }
        if let id = value["plan"]?.string {
            self.plan = DataPlan(id: id, version: value["planVersion"]?.number?.int64.map { Int($0) })
        }
        self.ip = value["ip"]?.string.flatMap { IPAddress($0) }
        self.environment = value["environment"]?.string.flatMap { WorkspaceEnvironment(rawValue: $0) }
        if let stored = value["application"] {
            self.application = ApplicationInformation(
                name: stored["name"]?.string,
                version: stored["version"]?.string,
                build: stored["build"]?.string,
                package: stored["package"]?.string,
                system: stored["system"]?.string.flatMap { ApplicationInformation.System(named: $0) }
            )
        }
        if let stored = value["device"] {
            var device = DeviceInformation()
            device.manufacturer = stored["manufacturer"]?.string
            device.model = stored["model"]?.string
            device.systemVersion = stored["systemVersion"]?.string
            device.processorArchitecture = stored["processor"]?.string
            device.localeLanguage = stored["language"]?.string
            device.localeCountry = stored["country"]?.string
            device.userAgent = stored["userAgent"]?.string
            device.timeZoneOffset = stored["timeZone"]?.number?.int64.map { Int($0) }
            device.screenWidth = stored["width"]?.number?.int64.map { Int($0) }
            device.screenHeight = stored["height"]?.number?.int64.map { Int($0) }
            self.device = device
        }
    }
}

extension JSONWriter {
    fileprivate mutating func texts(_ members: [(name: String, value: String?)]) {
        for (name, value) in members {
            if let value { self.member(name, value) }
        }
    }
}
