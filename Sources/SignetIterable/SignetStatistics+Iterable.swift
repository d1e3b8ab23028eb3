// SPDX-License-Identifier: Apache-2.0

public import Signet

extension SignetStatistics {
    /// Records of visitors that were stored, for unknown and known users.
    public internal(set) var iterableRecordsStored: Int {
        get { self.serviceCounts["iterable.records_stored", default: 0] }
        set { self.serviceCounts["iterable.records_stored"] = newValue }
    }

    /// Records of visitors that Iterable has accepted.
    public internal(set) var iterableRecordsSent: Int {
        get { self.serviceCounts["iterable.records_sent", default: 0] }
        set { self.serviceCounts["iterable.records_sent"] = newValue }
    }

    /// Records of visitors that were dropped, by cause.
    public internal(set) var iterableRecordsDropped: [IterableDropCause: Int] {
        get {
            var counts: [IterableDropCause: Int] = [:]
            for cause in IterableDropCause.allCases { counts[cause] = self.serviceCounts[cause.statisticsName] }
            return counts
        }
        set {
            for cause in IterableDropCause.allCases { self.serviceCounts[cause.statisticsName] = newValue[cause] }
        }
    }
}

extension IterableDropCause {
    fileprivate var statisticsName: String { "iterable.records_dropped.\(self.rawValue)" }
}
