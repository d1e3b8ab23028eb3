//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The device that events come from, as far as you want to tell (Events API v2, `device_info`).
///
/// Advertising ids and push tokens are identities of the device and set elsewhere.
public struct DeviceInformation: Sendable, Hashable {
    /// Who made it.
    public var manufacturer: String?
    /// Which model.
    public var model: String?
    /// The version of its system.
    public var systemVersion: String?
    /// Its processor, such as "x86_64".
    public var processorArchitecture: String?
    /// Two letters, ISO 639.
    public var localeLanguage: String?
    /// Two letters, ISO 3166.
    public var localeCountry: String?
    /// Hours between its time and UTC.
    public var timeZoneOffset: Int?
    /// What its browser calls itself.
    public var userAgent: String?
    /// In pixels.
    public var screenWidth: Int?
    /// In pixels.
    public var screenHeight: Int?

    /// Makes it; nothing is told that is not set.
    public init() {}
}
