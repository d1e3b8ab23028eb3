// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTesting
import SignetTransport

// Most tests of this module check what the vendor documents of its SDKs, on a clock that stands still: sessions of 60 s, uploads
// after 600 s, one identify per process. Their sessions are a server's, but begin at an open, as those of an app do. A test of the server's defaults says so: it calls
// `SignetTesting.withEmulatedSignet`.
extension SignetConfiguration {
    /// The defaults of an application, with a server's sessions.
    static func vendorTimes(apiKey: String, secret: Secret, directory: String) -> SignetConfiguration {
        var configuration = SignetConfiguration(apiKey: apiKey, secret: secret, directory: directory)
        configuration.useVendorTimes()
        return configuration
    }

    /// Sets the defaults of an application, with a server's sessions.
    mutating func useVendorTimes() {
        self.useApplicationDefaults()
        self.sessions.mode = .server
    }
}

/// Hides the function of the module SignetTesting.
func withEmulatedSignet<Result>(
    in directory: String,
    emulator: EmulatorConfiguration = EmulatorConfiguration(),
    clock: ManualClock = ManualClock(),
    services: [any SignetService] = [],
    observer: (any SignetObserver)? = nil,
    configure: (inout SignetConfiguration) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (EmulatedSignet) async throws -> Result
) async throws -> Result {
    try await SignetTesting.withEmulatedSignet(
        in: directory,
        emulator: emulator,
        clock: clock,
        services: services,
        observer: observer,
        configure: { configuration in
            configuration.useVendorTimes()
            configure(&configuration)
        },
        isolation: isolation,
        body
    )
}
