// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetRuntimeTestSupport
import SignetTesting

/// The settings under which a journey is made, where the promise is the same.
enum Defaults: CaseIterable, Sendable {
    /// Those that an adopter on a server gets.
    case server
    /// What the vendor documents of its SDKs, see `useVendorTimes`.
    case vendor

    /// Runs a runtime with these settings on an emulator of its own.
    func withEmulatedSignet<Result>(
        in directory: String,
        emulator: EmulatorConfiguration = EmulatorConfiguration(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (EmulatedSignet) async throws -> Result
    ) async throws -> Result {
        try await SignetTesting.withEmulatedSignet(
            in: directory,
            emulator: emulator,
            configure: { if self == .vendor { $0.useVendorTimes() } },
            isolation: isolation,
            body
        )
    }
}
