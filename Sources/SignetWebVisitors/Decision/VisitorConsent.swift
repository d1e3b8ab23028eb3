// SPDX-License-Identifier: Apache-2.0

/// The visitor's answer about being followed, as your server knows it.
public enum VisitorConsent: Sendable, Hashable, CaseIterable {
    /// The visitor agrees, or your law asks for no consent.
    case given
    /// The visitor was not asked yet: no cookie is set, no installation is opened, and a cookie that is there stays.
    case undecided
    /// The visitor refuses or has withdrawn: no installation is opened, and a cookie that is there is removed.
    case refused
}
