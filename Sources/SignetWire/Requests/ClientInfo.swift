// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

/// The SDK that wrote a request (IDSync HTTP API, `client_sdk`).
package struct ClientInfo: Sendable, Hashable {
    /// The kind of client.
    package let platform: ClientPlatform
    /// The maker of the SDK.
    package let vendor: String
    /// The version of the SDK.
    package let version: String

    package init(platform: ClientPlatform, vendor: String, version: String) {
        self.platform = platform
        self.vendor = vendor
        self.version = version
    }

    /// This library on its current platform.
    package static let signet = ClientInfo.signet(on: .current)

    /// This library on a given platform.
    package static func signet(on platform: ClientPlatform) -> ClientInfo {
        ClientInfo(platform: platform, vendor: "signet", version: "0.1.0")
    }

    /// Writes the member of a request.
    func write(to writer: inout JSONWriter) {
        writer.key("client_sdk")
        writer.beginObject()
        writer.member("platform", self.platform.rawValue)
        writer.member("sdk_vendor", self.vendor)
        writer.member("sdk_version", self.version)
        writer.endObject()
    }
}
