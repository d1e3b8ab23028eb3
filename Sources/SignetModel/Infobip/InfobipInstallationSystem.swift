//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What an installation runs on; nil where nobody has said it.
public struct InfobipInstallationSystem: Sendable, Hashable {
    /// The version of this library.
    public var sdkVersion: String?
    /// The version of the app.
    public var appVersion: String?
    /// The operating system.
    public var os: String?
    /// Its version.
    public var osVersion: String?
    /// Who made the device.
    public var deviceManufacturer: String?
    /// The model of the device.
    public var deviceModel: String?
    /// The name that its owner gave the device.
    public var deviceName: String?
    /// Whether the device can tell its owner from others.
    public var deviceSecure: Bool?
    /// The language, such as `hr`.
    public var language: String?
    /// How far the clock of the device is from Greenwich, such as `GMT+03:30`.
    public var timeZoneOffset: String?

    /// Makes a system of which nothing is said.
    public init() {}

    /// The text of an offset: `GMT+00:00` in Greenwich, `GMT±hh:mm` elsewhere.
    ///
    /// - Parameter seconds: East of Greenwich; those beyond whole minutes are dropped.
    /// - Returns: Nine characters; what is further away than 99 hours counts as that.
    public static func timeZoneOffset(seconds: Int) -> String {
        let minutes = min(seconds.magnitude / 60, 99 * 60 + 59)
        let hours = CalendarDay.padded(Int(minutes / 60), to: 2)
        return "GMT\(seconds < 0 && minutes > 0 ? "-" : "+")\(hours):\(CalendarDay.padded(Int(minutes % 60), to: 2))"
    }
}
