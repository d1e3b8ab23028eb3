// SPDX-License-Identifier: Apache-2.0

/// What a scenario has measured so far, in the order in which it was first told.
struct Results: Sendable {
    /// One way to run the scenario, such as a number of tasks.
    struct Series: Sendable, Encodable {
        let name: String
        fileprivate(set) var figures: [Figure] = []
    }

    /// One figure of all runs.
    struct Figure: Sendable, Encodable {
        let name: String
        let unit: String
        fileprivate(set) var runs: [Double]
        let goal: Goal?

        /// The middle of all runs; the mean of the two in the middle when their number is even.
        var median: Double {
            let sorted = self.runs.sorted()
            let middle = sorted.count / 2
            return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        }

        var minimum: Double { self.runs.min() ?? .nan }
        var maximum: Double { self.runs.max() ?? .nan }

        private enum CodingKeys: CodingKey {
            case name, unit, median, minimum, maximum, runs, goal, isGoalMet
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.name, forKey: .name)
            try container.encode(self.unit, forKey: .unit)
            try container.encode(self.median, forKey: .median)
            try container.encode(self.minimum, forKey: .minimum)
            try container.encode(self.maximum, forKey: .maximum)
            try container.encode(self.runs, forKey: .runs)
            try container.encodeIfPresent(self.goal?.text, forKey: .goal)
            try container.encodeIfPresent(self.goal?.isMet(by: self.median), forKey: .isGoalMet)
        }
    }

    private(set) var series: [Series] = []
    /// How it was measured, and what could not be.
    private(set) var notes: [String] = []
    /// What must not be: the exit code tells of it.
    private(set) var failures: [String] = []

    /// Adds what one run of a series has measured.
    mutating func add(_ name: String, _ measures: [Measure]) {
        let place: Int
        if let known = self.series.firstIndex(where: { $0.name == name }) {
            place = known
        } else {
            place = self.series.count
            self.series.append(Series(name: name))
        }
        for measure in measures where measure.value.isFinite {
            if let known = self.series[place].figures.firstIndex(where: { $0.name == measure.name }) {
                self.series[place].figures[known].runs.append(measure.value)
            } else {
                let figure = Figure(name: measure.name, unit: measure.unit, runs: [measure.value], goal: measure.goal)
                self.series[place].figures.append(figure)
            }
        }
    }

    /// Adds a remark, once.
    mutating func note(_ text: String) {
        if !self.notes.contains(text) { self.notes.append(text) }
    }

    /// Adds what must not be, once.
    mutating func fail(_ text: String) {
        if !self.failures.contains(text) { self.failures.append(text) }
    }

    /// The median of a figure of a series; nil when it was not measured.
    func median(_ figure: String, of series: String) -> Double? {
        self.series.first { $0.name == series }?.figures.first { $0.name == figure }?.median
    }
}
