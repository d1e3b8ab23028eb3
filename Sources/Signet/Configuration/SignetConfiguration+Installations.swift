// SPDX-License-Identifier: Apache-2.0

extension SignetConfiguration {
    /// Installations on disk, or in a shared store.
    public struct Installations: Sendable {
        /// The time after which an unused installation is removed; nil to keep all.
        ///
        /// `run()` removes them once a day, as ``SignetRuntime/removeInstallations(idleFor:)`` does, the first time within the first
        /// hour. What waits for delivery keeps its installation. 400 days by default: a browser keeps a cookie for 400 days at
        /// most, so a visitor who was away longer comes without it. Nil in an application. At least 1 day.
        ///
        /// With a shared store at least 8 days, and a day more than ``SignetConfiguration/Events/Storage/maximumAge``: what other
        /// replicas hold does not show in a row. All replicas have the same value.
        public var retention: Duration? = .seconds(400 * 86_400)

        /// Makes the defaults.
        public init() {}

        /// The problems of the settings.
        var problems: [String] {
            guard let retention, retention < .seconds(86_400) else { return [] }
            return ["installations.retention is below 1 day: use at least 1 day, or nil to keep all installations"]
        }
    }
}
