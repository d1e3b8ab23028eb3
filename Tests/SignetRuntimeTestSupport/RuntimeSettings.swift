// SPDX-License-Identifier: Apache-2.0

package import Signet
package import SignetEmulator
package import SignetTesting

/// The settings of a runtime together with those of its service, for tests that change both in one closure.
@dynamicMemberLookup
package struct RuntimeSettings<Service> {
    package var signet: SignetConfiguration
    /// The settings of the service; nil for a runtime without it.
    package var service: Service?

    package init(_ signet: SignetConfiguration) {
        self.signet = signet
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<SignetConfiguration, Value>) -> Value {
        get { self.signet[keyPath: path] }
        set { self.signet[keyPath: path] = newValue }
    }
}

extension EmulatedSignet {
    /// A runtime with a service and the vendor's times, on an existing emulator.
    package init<Service>(
        in directory: String,
        platform: Emulator,
        clock: ManualClock,
        observer: (any SignetObserver)?,
        makeService: (Service) -> any SignetService,
        settings change: (inout RuntimeSettings<Service>) -> Void
    ) throws(SignetError) {
        // The service is made before the configuration is at hand: the change is applied to one that is thrown away.
        var settings = RuntimeSettings<Service>(SignetConfiguration(apiKey: "", secret: "", directory: ""))
        change(&settings)
        try self.init(
            in: directory,
            platform: platform,
            clock: clock,
            services: settings.service.map { [makeService($0)] } ?? [],
            observer: observer
        ) { configuration in
            configuration.useVendorTimes()
            var settings = RuntimeSettings<Service>(configuration)
            change(&settings)
            configuration = settings.signet
        }
    }
}
