// SPDX-License-Identifier: Apache-2.0

/// The findings of an erasure so far.
struct ErasureFindings {
    /// The number of installations that knew the user.
    var installations = 0
    /// The number of dead letters.
    var deadLetterBatches = 0
    /// The number of events in them.
    var deadLetteredEvents = 0
    /// The number of pending alias requests.
    var aliasRequests = 0
    /// The records of services that were not sent, by the letter of the service.
    var serviceRecords: StoredServices.Counts = [:]
    /// The number of files with copies of damaged bytes, and of unreadable records: their users are unknown.
    var damagedCopies = 0
    /// The user directories of installations where an erased user inherited events without a user, by installation number.
    var pastAttributions: [UInt32: UserDirectory] = [:]

    /// Notes removed records of services.
    mutating func note(_ records: StoredServices.Counts) {
        self.serviceRecords.merge(records, uniquingKeysWith: +)
    }

    /// Notes an installation on which an erased user inherited events without a user.
    mutating func note(_ state: IdentityState) {
        guard state.directory.pastAttributions.contains(where: { $0.mpid == nil }) else { return }
        self.pastAttributions[state.number] = state.directory
    }
}
