// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetRuntimeTestSupport
import SignetTesting

/// Hides the function of the module SignetTesting: its runtimes have a server's defaults.
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
