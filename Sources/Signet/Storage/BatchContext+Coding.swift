// SPDX-License-Identifier: Apache-2.0

package import SignetModel

extension BatchContext: StoredRecord {
    static var subject: String { "a context of events" }
    var expectedSize: Int { 256 }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("plan", self.plan?.id)
        encoder.write("planVersion", self.plan?.version)
        encoder.write("environment", self.environment?.rawValue)
        encoder.write("ip", self.ip?.description)
        encoder.write("application", self.application)
        encoder.write("device", self.device)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let (plan, version): (String?, Int?) = try (decoder.optional("plan"), decoder.optional("planVersion"))
        self.plan = plan.map { DataPlan(id: $0, version: version) }
        self.environment = try decoder.optional("environment").flatMap { WorkspaceEnvironment(rawValue: $0) }
        self.ip = try decoder.optional("ip").flatMap { (text: String) in IPAddress(text) }
        self.application = try decoder.optional("application")
        self.device = try decoder.optional("device")
    }

    /// Reads the bytes on disk; empty if they are not a context.
    init(_ bytes: [UInt8]) {
        do throws(SignetError) { try self.init(decoding: bytes) } catch { self.init() }
    }
}

extension ApplicationInformation: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("name", self.name)
        encoder.write("version", self.version)
        encoder.write("build", self.build)
        encoder.write("package", self.package)
        encoder.write("system", self.system?.description)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            name: decoder.optional("name"),
            version: decoder.optional("version"),
            build: decoder.optional("build"),
            package: decoder.optional("package"),
            system: decoder.optional("system").flatMap { System(named: $0) }
        )
    }
}

extension DeviceInformation: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("manufacturer", self.manufacturer)
        encoder.write("model", self.model)
        encoder.write("systemVersion", self.systemVersion)
        encoder.write("processor", self.processorArchitecture)
        encoder.write("language", self.localeLanguage)
        encoder.write("country", self.localeCountry)
        encoder.write("timeZone", self.timeZoneOffset)
        encoder.write("userAgent", self.userAgent)
        encoder.write("width", self.screenWidth)
        encoder.write("height", self.screenHeight)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.init()
        self.manufacturer = try decoder.optional("manufacturer")
        self.model = try decoder.optional("model")
        self.systemVersion = try decoder.optional("systemVersion")
        self.processorArchitecture = try decoder.optional("processor")
        self.localeLanguage = try decoder.optional("language")
        self.localeCountry = try decoder.optional("country")
        self.timeZoneOffset = try decoder.optional("timeZone")
        self.userAgent = try decoder.optional("userAgent")
        self.screenWidth = try decoder.optional("width")
        self.screenHeight = try decoder.optional("height")
    }
}
