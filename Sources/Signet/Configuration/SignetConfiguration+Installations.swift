// SPDX-License-Identifier: Apache-2.0

extension SignetConfiguration {
    /// Installations.
    public struct Installations: Sendable {
        /// The time after which an installation that nobody uses is removed; nil to keep all, the default.
        public var retention: Duration?

        /// Makes the defaults.
        public init() {}
    }
}
