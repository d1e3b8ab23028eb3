//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

extension ApplicationInformation {
    /// Writes the app (Events API v2, `application_info`).
    func write(to writer: inout JSONWriter) {
        writer.key("application_info")
        writer.beginObject()
        if let name = self.name { writer.member("application_name", name) }
        if let version = self.version { writer.member("application_version", version) }
        if let build = self.build { writer.member("application_build_number", build) }
        if let package = self.package { writer.member("package", package) }
        if let system = self.system { writer.member("os", system.description) }
        writer.endObject()
    }
}

extension DeviceInformation {
    /// Writes the device (Events API v2, `device_info`).
    func write(to writer: inout JSONWriter) {
        writer.key("device_info")
        writer.beginObject()
        if let text = self.manufacturer { writer.member("device_manufacturer", text) }
        if let text = self.model { writer.member("device_model", text) }
        if let text = self.systemVersion { writer.member("os_version", text) }
        if let text = self.processorArchitecture { writer.member("cpu_architecture", text) }
        if let text = self.localeLanguage { writer.member("locale_language", text) }
        if let text = self.localeCountry { writer.member("locale_country", text) }
        if let hours = self.timeZoneOffset { writer.member("timezone_offset", Int64(hours)) }
        if let text = self.userAgent { writer.member("http_header_user_agent", text) }
        if let width = self.screenWidth { writer.member("screen_width", Int64(width)) }
        if let height = self.screenHeight { writer.member("screen_height", Int64(height)) }
        writer.endObject()
    }
}
