// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

extension Installation {
    /// Launch counts and times of the app of an installation, by the machine's wall clock.
    public struct LaunchCounts: Sendable, Hashable {
        /// The number of launches, including the current one.
        public let total: Int
        /// The number of launches in this version and build, including the current one.
        public let sinceUpgrade: Int
        /// The time of the first launch.
        public let first: Date
        /// The time of the last upgrade; nil if there was none.
        public let upgrade: Date?
        /// The time at which the current launch began.
        public let last: Date

        init(_ record: LaunchRecord) {
            self.total = record.launches
            self.sinceUpgrade = record.launchesSinceUpgrade
            self.first = Date(milliseconds: record.firstLaunch)
            self.upgrade = record.upgrade.map { Date(milliseconds: $0) }
            self.last = Date(milliseconds: record.lastLaunch)
        }
    }
}
