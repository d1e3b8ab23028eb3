// SPDX-License-Identifier: Apache-2.0

extension SignetRuntime {
    /// The data that an erasure found and removed; see ``SignetRuntime/eraseUser(_:within:)``.
    public struct ErasureReport: Sendable, Hashable {
        /// The number of installations that knew the user, open or not.
        public let installations: Int
        /// The number of events that were not delivered and never will be.
        ///
        /// They count in ``SignetStatistics/eventsDropped`` under ``DropCause/forgotten``.
        public let events: Int
        /// The number of batches in flight that had no answer in time.
        ///
        /// They may have arrived; late answers are ignored. Their events are among ``events``.
        public let batchesAbandoned: Int
        /// The number of events in removed dead letters.
        public let eventsDeadLettered: Int
        /// The number of alias requests that named the user; they are not sent.
        public let aliasRequests: Int
        /// The number of records of services that were removed from disk.
        ///
        /// Those of installations in memory count in the statistics of the service alone (`iterableRecordsDropped`,
        /// `infobipEventsDropped`).
        public let serviceRecords: Int
        /// The number of removed copies of damaged bytes, whose user is unknown.
        public let damagedCopies: Int
        /// The number of other live replicas that had not erased in time; zero without a shared store.
        public let replicasLeft: Int

        /// True if the runtime had no data of the user.
        public var isEmpty: Bool {
            self.installations == 0 && self.events == 0 && self.batchesAbandoned == 0 && self.eventsDeadLettered == 0
                && self.aliasRequests == 0 && self.serviceRecords == 0
        }

        init(_ report: UserErasure.Report) {
            self.installations = report.findings.installations
            self.events = report.events
            self.batchesAbandoned = report.batchesAbandoned
            self.eventsDeadLettered = report.findings.deadLetteredEvents
            self.aliasRequests = report.findings.aliasRequests
            self.serviceRecords = report.findings.serviceRecords.values.reduce(0, +)
            self.damagedCopies = report.findings.damagedCopies
            self.replicasLeft = report.replicasLeft
        }
    }
}
