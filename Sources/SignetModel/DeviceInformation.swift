// SPDX-License-Identifier: Apache-2.0

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
