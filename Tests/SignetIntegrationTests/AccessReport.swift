// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
import Configuration
import SignetLock

/// Remembers which settings were read as secrets.
final class AccessReport: AccessReporter {
    private let read = Locked<Set<String>>([])

    var secrets: Set<String> {
        self.read.withLock { $0 }
    }

    func report(_ event: AccessEvent) {
        guard case .success(let value?) = event.result, value.isSecret else { return }
        let key = event.metadata.key.components.joined(separator: ".")
        self.read.withLock { _ = $0.insert(key) }
    }
}
#endif
