// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
public import SignetModel
import SignetTesting

@testable import Signet
@testable import SignetInfobip
@testable import SignetIterable

/// The settings of a runtime together with those of its services, for tests that change both in one closure.
@dynamicMemberLookup
struct ServiceSettings {
    var signet: SignetConfiguration
    var iterable: IterableConfiguration?
    var infobip: InfobipConfiguration?

    init(_ signet: SignetConfiguration) {
        self.signet = signet
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<SignetConfiguration, Value>) -> Value {
        get { self.signet[keyPath: path] }
        set { self.signet[keyPath: path] = newValue }
    }

    var services: [any SignetService] {
        var services: [any SignetService] = []
        if let iterable = self.iterable { services.append(IterableService(iterable)) }
        if let infobip = self.infobip { services.append(InfobipService(infobip)) }
        return services
    }
}

extension StateKey {
    /// The key of Infobip's memory of an installation.
    static func infobipMemory(_ number: UInt32) -> [UInt8] {
        self.serviceMemory(UInt8(ascii: "q"), number)
    }

    /// The key of Iterable's memory of an installation.
    static func iterableMemory(_ number: UInt32) -> [UInt8] {
        self.serviceMemory(UInt8(ascii: "v"), number)
    }

    /// The key of a record of Iterable.
    static func iterableRecord(_ number: UInt32, _ ordinal: UInt64) -> [UInt8] {
        self.iterableMemory(number) + withUnsafeBytes(of: ordinal.bigEndian, Array.init)
    }
}

extension PushToken: ExpressibleByStringLiteral {
    /// A token of APNs.
    public init(stringLiteral value: String) {
        self.init(Secret(value), service: .apns)
    }
}

extension InfobipProfile {
    /// The updates of the installation's profile.
    var changes: Updates<InfobipUpdate> {
        get throws { try self.handle.infobipUpdates() }
    }
}

extension IterableVisitor {
    /// The changes of the installation's visitor.
    var changes: Updates<IterableChange> {
        get throws { try self.installation.iterableChanges() }
    }
}

extension EmulatedSignet {
    /// A runtime with services, on an existing emulator.
    init(
        in directory: String,
        platform: Emulator,
        clock: ManualClock,
        observer: (any SignetObserver)? = nil,
        settings change: (inout ServiceSettings) -> Void
    ) throws(SignetError) {
        // The services are made before the configuration is at hand: the change is applied to one that is thrown away.
        var settings = ServiceSettings(SignetConfiguration(apiKey: "", secret: "", directory: ""))
        change(&settings)
        try self.init(
            in: directory,
            platform: platform,
            clock: clock,
            services: settings.services,
            observer: observer
        ) { configuration in
            var settings = ServiceSettings(configuration)
            change(&settings)
            configuration = settings.signet
        }
    }
}
