// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// A service that follows the users and events of a runtime's installations: `IterableService`, `InfobipService`.
///
/// Give it to the runtime; see ``SignetRuntime/init(_:services:transport:observer:)``. Only Signet's own modules
/// implement it.
public protocol SignetService: Sendable {
    /// The part of the service that the runtime uses.
    var definition: ServiceDefinition { get }
}

/// The part of a ``SignetService`` that the runtime uses; only Signet's own modules make one.
public struct ServiceDefinition: Sendable {
    /// Removes erased users from the stored records of an installation that is not in memory.
    ///
    /// - Parameters:
    ///   - records: The records of the service for the installation.
    ///   - mentioned: The users that the installation knows.
    ///   - isErased: True for a user to be erased.
    /// - Returns: The numbers of removed records and of damaged copies.
    /// - Throws: `SignetError` from the disk.
    package typealias Eraser =
        @Sendable (
            _ records: ServiceRecords,
            _ mentioned: Set<MPID>,
            _ isErased: (MPID) -> Bool
        ) throws(SignetError) -> (removed: Int, damaged: Int)

    /// Finds the work that the stored records of an installation show; changes nothing.
    ///
    /// - Parameters:
    ///   - records: The records of the service for the installation.
    ///   - isOptedOut: True if the installation has opted out.
    /// - Returns: The work.
    /// - Throws: `SignetError` from the disk; for records that cannot be read, one with ``SignetError/isDamage``.
    package typealias DueWork =
        @Sendable (_ records: ServiceRecords, _ isOptedOut: Bool) throws(SignetError) -> ServiceDue

    package let service: IdentitySyncOutcome.Service
    /// The letter of the service in the keys of its records.
    package let tag: UInt8
    /// The name of the count of records that an erasure or a reset has removed from disk.
    package let erasedCount: String
    /// The problems of the service's settings.
    package let problems: [String]
    package let erase: Eraser
    package let due: DueWork
    /// Makes the service for a runtime.
    package let make: @Sendable (LinkedServiceContext) throws(SignetError) -> any LinkedService

    package init(
        _ service: IdentitySyncOutcome.Service,
        tag: Character,
        erasedCount: String,
        problems: [String],
        erase: @escaping Eraser,
        due: @escaping DueWork = { _, _ in .nothing },
        make: @escaping @Sendable (LinkedServiceContext) throws(SignetError) -> any LinkedService
    ) {
        self.service = service
        self.tag = tag.asciiValue ?? 0
        self.erasedCount = erasedCount
        self.problems = problems
        self.erase = erase
        self.due = due
        self.make = make
    }
}
