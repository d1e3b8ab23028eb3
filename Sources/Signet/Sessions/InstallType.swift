//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the launches of a process are, as far as the app knows.
public enum InstallType: Sendable, Hashable {
    /// An install where nothing is remembered, an upgrade where version or build differ from the last launch.
    case autodetect
    /// An install.
    case knownInstall
    /// An upgrade.
    case knownUpgrade
    /// Neither.
    case knownSameVersion
}
