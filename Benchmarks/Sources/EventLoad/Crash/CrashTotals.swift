// SPDX-License-Identifier: Apache-2.0

/// What all kills together have done to the events.
struct CrashTotals: Sendable {
    var kills = 0
    /// Files of the journal that were begun, and of these those that were removed before the last kill.
    var filesBegun = 0
    var filesRemoved = 0
    private(set) var failures: [String] = []
    private var returned = 0
    private var delivered = 0
    private var recovered = 0
    private var unreturned = 0
    private var repeated = 0
    private var lost = 0
    private var altered = 0
    private var doubled = 0

    /// Compares what has returned with what came.
    ///
    /// - Parameters:
    ///   - recovered: What came after the last kill.
    ///   - delivered: What came before.
    ///   - counters: How many calls of each producer had returned.
    ///   - left: What was not delivered after the recovery.
    mutating func judge(
        recovered: EventLedger,
        delivered: [DeliveredEvent],
        returned counters: [Int],
        left: Int
    ) {
        // What came before the kills is the first to come.
        var ledger = EventLedger()
        ledger.add(delivered)
        let before = ledger.count
        ledger.merge(recovered)
        var returned = 0
        for (producer, count) in counters.enumerated() {
            returned += count
            let missing = ledger.missing(of: producer, first: count)
            self.lost += missing.count
            if let first = missing.first {
                self.fail("\(missing.count) events of producer \(producer) are lost, the first is \(first) of \(count)")
            }
        }
        if ledger.altered > 0 { self.fail("\(ledger.altered) events are altered") }
        if ledger.doubled > 0 { self.fail("\(ledger.doubled) times an event had two message ids, or an id two events") }
        if ledger.garbled > 0 { self.fail("\(ledger.garbled) bodies were no batches") }
        if left > 0 { self.fail("\(left) events were left after the recovery") }
        self.returned += returned
        self.delivered += before
        self.recovered += ledger.count - before
        self.unreturned += ledger.count - returned
        self.repeated += ledger.repeated
        self.altered += ledger.altered
        self.doubled += ledger.doubled
    }

    private mutating func fail(_ text: String) {
        self.failures.append("after \(self.kills) kills: \(text)")
    }

    /// For the progress line.
    var text: String {
        "\(self.returned) events returned, \(self.lost) lost, \(self.altered) altered, \(self.doubled) doubled"
    }

    var measures: [Measure] {
        [
            Measure("events whose log had returned", "", Double(self.returned)),
            Measure("came before a kill", "", Double(self.delivered)),
            Measure("came after the recovery only", "", Double(self.recovered)),
            Measure("came without their log having returned", "", Double(self.unreturned)),
            Measure("came again under the same id", "", Double(self.repeated)),
            Measure("files of the journal begun", "", Double(self.filesBegun)),
            Measure("files of the journal removed before a kill", "", Double(self.filesRemoved)),
            Measure("lost", "", Double(self.lost), goal: .atMost(0)),
            Measure("altered", "", Double(self.altered), goal: .atMost(0)),
            Measure("doubled", "", Double(self.doubled), goal: .atMost(0)),
        ]
    }
}
