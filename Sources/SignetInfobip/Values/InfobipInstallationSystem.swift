// SPDX-License-Identifier: Apache-2.0

/// The system that an installation runs on; unknown fields are nil.
public struct InfobipInstallationSystem: Sendable, Hashable {
    /// The version of this library.
    public var sdkVersion: String?
    /// The version of the app.
    public var appVersion: String?
    /// The operating system.
    public var os: String?
    /// The version of the operating system.
    public var osVersion: String?
    /// The manufacturer of the device.
    public var deviceManufacturer: String?
    /// The model of the device.
    public var deviceModel: String?
    /// The name that its owner gave the device.
    public var deviceName: String?
    /// True when the device can authenticate its owner.
    public var deviceSecure: Bool?
    /// The language, such as `hr`.
    public var language: String?
    /// The offset of the device's clock from Greenwich, such as `GMT+03:30`.
    public var timeZoneOffset: String?

    /// Makes an empty value.
    public init() {}

    /// Formats an offset: `GMT+00:00` in Greenwich, `GMT±hh:mm` elsewhere.
    ///
    /// - Parameter seconds: Seconds east of Greenwich; those beyond whole minutes are dropped.
    /// - Returns: Nine characters; offsets are limited to 99 hours and 59 minutes.
    public static func timeZoneOffset(seconds: Int) -> String {
        let minutes = min(seconds.magnitude / 60, 99 * 60 + 59)
        let hours = CalendarDay.padded(Int(minutes / 60), to: 2)
        return "GMT\(seconds < 0 && minutes > 0 ? "-" : "+")\(hours):\(CalendarDay.padded(Int(minutes % 60), to: 2))"
    }
}
