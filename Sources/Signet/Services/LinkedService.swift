// SPDX-License-Identifier: Apache-2.0

package import SignetModel

/// A running service that follows the installations of one runtime.
package protocol LinkedService: AnyObject, Sendable {
    var definition: ServiceDefinition { get }

    /// True if logins and logouts are forwarded to the service.
    var followsLogin: Bool { get }

    /// True if logged events are forwarded to the service.
    var forwardsEvents: Bool { get }

    /// The managers in memory: one per installation.
    var linkedManagers: [any LinkedManager] { get }

    /// Removes the manager of an installation from memory; nil if there is none.
    func removeManager(of id: InstallationID) -> (any LinkedManager)?

    // MARK: - Following an installation

    /// Resumes pending work after a launch of the app or an open of the installation.
    func resume(_ home: any FollowedInstallation, isLaunch: Bool)

    /// The knowledge of the service about the user of an installation.
    func syncState(of home: any FollowedInstallation) -> ServiceSyncState

    /// Takes over the changes of the user; on return they are on disk.
    func followUser(of home: any FollowedInstallation) async throws(SignetError)

    /// Applies an opt-out or opt-in: data of an installation that has opted out is neither kept nor sent.
    ///
    /// - Returns: False if the disk refuses what follows from it; that is reported, and repeated.
    @discardableResult
    func followOptOut(of home: any FollowedInstallation) async -> Bool

    /// Does what is owed to an installation that nobody may have opened, until it is done or pauses.
    ///
    /// It counts no launch, and leaves no driver behind that waits for the end of a pause.
    ///
    /// - Throws: `SignetError` from the disk.
    func visit(_ home: any FollowedInstallation) async throws(SignetError) -> LinkedVisit

    /// True if the service has records of an installation.
    func hasRecords(_ number: UInt32) -> Bool

    /// Takes over a logged event; called only if ``forwardsEvents``.
    func follow(_ event: Event, of home: any FollowedInstallation)

    /// Notes that the app entered the foreground, or left it.
    func followForeground(of home: any FollowedInstallation, isInForeground: Bool)

    // MARK: - Erasing

    /// Removes a user from an installation in memory.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - home: The installation.
    ///   - isCurrent: True if the user is in front of the installation.
    /// - Throws: `SignetError` from the disk.
    func erase(_ mpid: MPID, in home: any FollowedInstallation, isCurrent: Bool) async throws(SignetError)

    /// Removes a user from the manager of an installation that is not in memory itself.
    func erase(_ mpid: MPID, of id: InstallationID, _ installation: AbsentInstallation) async throws(SignetError)

    // MARK: - Life of the runtime

    /// Takes over the events logged so far, so that their copies are on disk too.
    func takeLoggedEvents() async

    /// Ends the service: answers all waiting callers.
    func stop() async

    /// Ends the streams of the service.
    func finish()
}

extension LinkedService {
    /// The name of the service.
    package var service: IdentitySyncOutcome.Service { self.definition.service }
}

/// The result of a visit of a service.
package enum LinkedVisit: Sendable {
    /// The service has answered, and nothing is left.
    case done
    /// There was nothing to do, or the driver of an open installation does it.
    case nothing
    /// Something is left until the end of a pause.
    case left(LinkedObstacle)
    /// The disk refuses what must be written first.
    case notSaved(SignetError)
}

/// The part of a service that works for one installation.
package protocol LinkedManager: AnyObject, Sendable {
    /// Stops all writes.
    func retire()

    /// Ends the work, and answers waiting callers.
    func stop() async

    /// Waits until everything is sent, or cannot be sent before a pause is over.
    func untilSettled() async

    /// The installation that it works for.
    var installation: InstallationID { get }

    /// Takes over the changes of the user and the logged events.
    ///
    /// - Returns: True if there is nothing to send then.
    /// - Throws: `SignetError` from the disk.
    func isIdle() async throws(SignetError) -> Bool

    /// Takes over the changes of the user and the logged events, and waits until everything is sent.
    ///
    /// - Returns: False if something is left, as in a pause.
    /// - Throws: `SignetError` from the disk.
    func settle() async throws(SignetError) -> Bool
}

/// An installation that has records on disk and no object in memory.
package enum AbsentInstallation: Sendable {
    /// It has no identity record.
    case gone
    /// Its identity record is damaged.
    case unreadable
    /// Its identity record was read.
    case stored(records: ServiceRecords, isCurrent: Bool, isMentioned: Bool)
}
