// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// A change of the current user: a new one arrived, the same one logged in or out, or they were erased.
public struct UserChange: Sendable, Hashable {
    /// The installation of the change.
    public let installation: InstallationID
    /// The previous user; nil for the first user of the installation, and for the first after an erased one.
    ///
    /// Of an erased user, only the MPID is set.
    public let previous: User?
    /// The current user now; nil if they were erased, or the installation was reset.
    ///
    /// See ``SignetRuntime/eraseUser(_:within:)`` and ``Installation/reset()``.
    public let current: User?
}
