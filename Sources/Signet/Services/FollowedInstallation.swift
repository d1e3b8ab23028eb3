// SPDX-License-Identifier: Apache-2.0

package import SignetModel

package import struct FoundationEssentials.UUID

/// An installation that services follow.
package protocol FollowedInstallation: LinkedHome {
    var id: InstallationID { get }

    /// The number of the installation in the keys of its records; zero while it has none, and no records.
    var number: UInt32 { get }

    /// The number of the installation, which is on disk from now on.
    ///
    /// - Throws: The error of the disk; `closed`.
    func durableNumber() throws(SignetError) -> UInt32

    /// The permanent id of the installation at the platform.
    var deviceApplicationStamp: UUID { get }

    /// True for a user that the installation knows.
    func mentions(_ mpid: MPID) -> Bool

    /// True while its handles accept calls.
    var isOpen: Bool { get }

    /// True after another object has taken over, or a reset.
    var isRetired: Bool { get }

    /// True after a reset: the id may belong to another installation.
    var isReset: Bool { get }

    /// True while the app is in the foreground.
    var isInForeground: Bool { get }

    /// True if entries of the outbox may wait for a service.
    var hasOutbox: Bool { get }

    /// Hands the current user to all services; on return, each has saved it or the disk refused.
    func syncIdentity() async

    /// The manager of a service; nil before its first use.
    func manager(of service: IdentitySyncOutcome.Service) -> (any LinkedManager)?

    /// Keeps the manager of a service in memory as long as the installation.
    ///
    /// - Returns: False if the installation is retired by now; then it was not kept.
    func keep(_ manager: any LinkedManager, of service: IdentitySyncOutcome.Service) -> Bool

    /// Counts and reports a change of state that the disk refused.
    func reportNotSaved(_ error: SignetError)
}
