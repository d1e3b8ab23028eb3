// SPDX-License-Identifier: Apache-2.0

/// The device, the app and the address of one installation, where they differ from the configuration's.
///
/// A server has thousands of visitors, each with a browser and an address of their own. Pass the context of each to
/// `SignetRuntime.open(_:identify:context:)` or `Installation.setContext(_:)`. For fields that are nil the values of the
/// configuration are sent; the device is replaced as a whole.
///
/// Texts have at most 256 bytes of UTF-8, the user agent 1,024, and no control characters.
public struct InstallationContext: Sendable, Hashable {
    /// The device, with its user agent, its locale and its time zone (Events API v2, `device_info`).
    ///
    /// Advertising ids and push tokens are set with `Installation.setDeviceIdentity(_:for:)`.
    public var device: DeviceInformation?
    /// The app (Events API v2, `application_info`).
    public var application: ApplicationInformation?
    /// The address that requests of the visitor come from (Events API v2, `ip`).
    ///
    /// It may identify a person: an erasure of the user removes it.
    public var ip: IPAddress?

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - application: The app.
    ///   - ip: The address.
    ///   - userAgent: The user agent of the browser; written into the device.
    ///   - locale: A language and an optional country, such as "de-CH"; written into the device, ignored if it is invalid.
    ///   - timeZoneOffset: Hours ahead of UTC; written into the device.
    public init(
        device: DeviceInformation? = nil,
        application: ApplicationInformation? = nil,
        ip: IPAddress? = nil,
        userAgent: String? = nil,
        locale: String? = nil,
        timeZoneOffset: Int? = nil
    ) {
        var own = device ?? DeviceInformation()
        if let userAgent { own.userAgent = userAgent }
        if let tag = locale.flatMap({ LanguageTag($0) }) {
            (own.localeLanguage, own.localeCountry) = (tag.language, tag.country)
        }
        if let timeZoneOffset { own.timeZoneOffset = timeZoneOffset }
        self.device = device == nil && own == DeviceInformation() ? nil : own
        self.application = application
        self.ip = ip
    }

    /// True when no field is set.
    package var isEmpty: Bool {
        self == InstallationContext()
    }

    /// The maximum length of a text, in bytes of UTF-8.
    package static let textLimit = 256
    /// The maximum length of a user agent, in bytes of UTF-8.
    package static let userAgentLimit = 1024

    /// The name of the first text that is too long or has control characters, or of the first number out of range.
    package var violation: String? {
        let (device, application) = (self.device ?? DeviceInformation(), self.application ?? ApplicationInformation())
        let texts = [
            ("device.manufacturer", device.manufacturer), ("device.model", device.model),
            ("device.systemVersion", device.systemVersion),
            ("device.processorArchitecture", device.processorArchitecture),
            ("device.localeLanguage", device.localeLanguage), ("device.localeCountry", device.localeCountry),
            ("application.name", application.name), ("application.version", application.version),
            ("application.build", application.build), ("application.package", application.package),
        ]
        for (name, text) in texts {
            if let text, !Self.isPlain(text, upTo: Self.textLimit) { return name }
        }
        if let text = device.userAgent, !Self.isPlain(text, upTo: Self.userAgentLimit) { return "device.userAgent" }
        if let hours = device.timeZoneOffset, !(-24...24).contains(hours) { return "device.timeZoneOffset" }
        let sizes = [("device.screenWidth", device.screenWidth), ("device.screenHeight", device.screenHeight)]
        for (name, pixels) in sizes {
            if let pixels, !(0...1_000_000).contains(pixels) { return name }
        }
        return nil
    }

    /// Checks that a text is within the limit, in bytes, and has no control character.
    static func isPlain(_ text: String, upTo limit: Int) -> Bool {
        guard text.utf8.count <= limit else { return false }
        return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}

/// The device that events come from (Events API v2, `device_info`).
///
/// Advertising ids and push tokens are identities of the device and set elsewhere.
public struct DeviceInformation: Sendable, Hashable {
    /// The manufacturer.
    public var manufacturer: String?
    /// The model.
    public var model: String?
    /// The version of its operating system.
    public var systemVersion: String?
    /// Its processor, such as "x86_64".
    public var processorArchitecture: String?
    /// The language, two letters of ISO 639.
    public var localeLanguage: String?
    /// The country, two letters of ISO 3166.
    public var localeCountry: String?
    /// The offset of its time from UTC, in hours.
    public var timeZoneOffset: Int?
    /// The user agent of its browser.
    public var userAgent: String?
    /// The width of the screen in pixels.
    public var screenWidth: Int?
    /// The height of the screen in pixels.
    public var screenHeight: Int?

    /// Makes an empty value; fields that are nil are not sent.
    public init() {}
}
