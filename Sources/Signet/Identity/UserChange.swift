//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// A user has come to an installation, the current one has become known or unknown, or was erased.
public struct UserChange: Sendable, Hashable {
    /// Where.
    public let installation: InstallationID
    /// Who was current before; nil for the first user of the installation, and for the first after one who was erased.
    ///
    /// Of a user who was erased, only the MPID is told.
    public let previous: User?
    /// Who is current now; nil when the current user was erased, see ``SignetRuntime/eraseUser(_:within:)``, or
    /// the installation was reset, see ``Installation/reset()``.
    public let current: User?
}
