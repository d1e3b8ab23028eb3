// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetRuntimeTestSupport
import SignetTesting

@testable import Signet
@testable import SignetIterable

/// The settings of a runtime together with those of Iterable.
typealias ServiceSettings = RuntimeSettings<IterableConfiguration>

extension RuntimeSettings<IterableConfiguration> {
    var iterable: IterableConfiguration? {
        get { self.service }
        set { self.service = newValue }
    }
}

extension EmulatedSignet {
    /// A runtime with Iterable, on an existing emulator.
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
            makeService: IterableService.init,
            settings: change
        )
    }
}

extension StateKey {
    /// The key of Iterable's memory of an installation.
    static func iterableMemory(_ number: UInt32) -> [UInt8] {
        self.serviceMemory(UInt8(ascii: "v"), number)
    }

    /// The key of a record of Iterable.
    static func iterableRecord(_ number: UInt32, _ ordinal: UInt64) -> [UInt8] {
        self.iterableMemory(number) + withUnsafeBytes(of: ordinal.bigEndian, Array.init)
    }
}

extension IterableVisitor {
    /// The changes of the installation's visitor.
    var changes: Updates<IterableChange> {
        get throws { try self.installation.iterableChanges() }
    }
}
