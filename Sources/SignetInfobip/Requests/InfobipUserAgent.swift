// SPDX-License-Identifier: Apache-2.0

import SignetWire

/// The header `User-Agent`, in the form that the service reads.
enum InfobipUserAgent {
    /// Writes the header: product and version, then eleven fields about the system that may be empty.
    ///
    /// - Parameters:
    ///   - system: The system of the installation.
    ///   - bundleID: The name of the app.
    ///   - isPrivate: Leaves all fields empty if true.
    /// - Returns: Printable ASCII; the product is this library, not the vendor's.
    static func text(_ system: InfobipInstallationSystem, bundleID: String?, isPrivate: Bool = false) -> String {
        var fields = Array(repeating: "", count: 11)
        if !isPrivate {
            // The third and fifth fields are unused. The last three (carrier, MNC and MCC) are unknown here.
            for (place, field) in [
                (0, system.os), (1, system.osVersion), (3, system.deviceModel), (5, bundleID), (6, system.appVersion),
                (7, system.deviceName),
            ] {
                fields[place] = (field ?? "").filter { !";()".contains($0) }
            }
        }
        let text = "Signet/\(ClientInfo.signet.version)(\(fields.joined(separator: ";")))"
        return String(decoding: text.utf8.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }
}
