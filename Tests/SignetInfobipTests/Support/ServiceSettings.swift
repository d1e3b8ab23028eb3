// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetRuntimeTestSupport
import SignetTesting

@testable import Signet
@testable import SignetInfobip

/// The settings of a runtime together with those of Infobip.
typealias ServiceSettings = RuntimeSettings<InfobipConfiguration>

extension RuntimeSettings<InfobipConfiguration> {
    var infobip: InfobipConfiguration? {
        get { self.service }
        set { self.service = newValue }
    }
}

extension EmulatedSignet {
    /// A runtime with Infobip, on an existing emulator.
    init(
        in directory: String,
        platform: Emulator,
        clock: ManualClock,
        observer: (any SignetObserver)? = nil,
        settings change: (inout ServiceSettings) -> Void
    ) throws(SignetError) {
        try self.init(
            in: directory,
            platform: platform,
            clock: clock,
            observer: observer,
            makeService: InfobipService.init,
            settings: change
        )
    }
}

extension StateKey {
    /// The key of Infobip's memory of an installation.
    static func infobipMemory(_ number: UInt32) -> [UInt8] {
        self.serviceMemory(UInt8(ascii: "q"), number)
    }
}

extension InfobipProfile {
    /// The updates of the installation's profile.
    var changes: Updates<InfobipUpdate> {
        get throws { try self.handle.infobipUpdates() }
    }
}
