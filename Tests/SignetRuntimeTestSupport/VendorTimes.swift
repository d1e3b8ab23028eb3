// SPDX-License-Identifier: Apache-2.0

package import Signet
package import SignetModel

// Most tests of the runtime and its services check what the vendor documents of its SDKs, on a clock that stands still: sessions
// of 60 s, uploads after 600 s, one identify per process. Their sessions are a server's, but begin at an open, as those of an app
// do. A test of the server's defaults says so: it calls `SignetTesting.withEmulatedSignet`, or is made under both (`Defaults`).
extension SignetConfiguration {
    /// The defaults of an application, with a server's sessions.
    package static func vendorTimes(apiKey: String, secret: Secret, directory: String) -> SignetConfiguration {
        var configuration = SignetConfiguration(apiKey: apiKey, secret: secret, directory: directory)
        configuration.useVendorTimes()
        return configuration
    }

    /// Sets the defaults of an application, with a server's sessions.
    package mutating func useVendorTimes() {
        self.useApplicationDefaults()
        self.sessions.mode = .server
    }
}
