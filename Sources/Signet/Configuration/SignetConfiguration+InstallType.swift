// SPDX-License-Identifier: Apache-2.0

extension SignetConfiguration.Sessions {
    /// The kind of launch, as far as the app knows it.
    public enum InstallType: Sendable, Hashable {
        /// An install if there is no launch record; an upgrade if version or build differ from the last launch.
        case autodetect
        /// An install.
        case knownInstall
        /// An upgrade.
        case knownUpgrade
        /// Neither an install nor an upgrade.
        case knownSameVersion
    }
}
