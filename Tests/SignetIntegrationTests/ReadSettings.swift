// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
import Configuration
import Signet
import SignetInfobip
import SignetIterable
import SignetModel

/// The settings of the runtime and of the services, as an app reads them from one place.
@dynamicMemberLookup
struct ReadSettings {
    let signet: SignetConfiguration
    let iterable: IterableConfiguration?
    let infobip: InfobipConfiguration?

    init(_ config: ConfigReader) throws(SignetError) {
        self.signet = try SignetConfiguration(config: config)
        self.iterable = try IterableConfiguration(config: config)
        self.infobip = try InfobipConfiguration(config: config)
    }

    subscript<Value>(dynamicMember path: KeyPath<SignetConfiguration, Value>) -> Value {
        self.signet[keyPath: path]
    }
}
#endif
