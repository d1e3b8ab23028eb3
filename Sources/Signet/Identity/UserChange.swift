//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// A user has come to an installation, or the current one has become known or unknown.
public struct UserChange: Sendable, Hashable {
    /// Where.
    public let installation: InstallationID
    /// Who was current before; nil for the first user of the installation.
    public let previous: User?
    /// Who is current now.
    public let current: User
}
