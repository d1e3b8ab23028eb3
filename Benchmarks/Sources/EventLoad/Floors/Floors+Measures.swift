// SPDX-License-Identifier: Apache-2.0

extension Floors {
    /// The floors themselves.
    var measures: [Measure] {
        [
            Measure("JSON of one event", "bytes", Double(self.size)),
            Measure("making the event's value (the app's part), CPU", "us/event", self.building.processor / 1000),
            Measure("hand encoding, CPU", "us/event", self.encoding.processor / 1000),
            Measure("memcpy, CPU", "us/event", self.copying.processor / 1000),
            Measure("CRC-32C, CPU", "us/event", self.checksum.processor / 1000),
            Measure("encoding + memcpy + CRC, CPU", "us/event", self.accepting / 1000),
            Measure("raw 64 KiB writes, wall", "us/event", self.writing.wall / 1000),
            Measure("raw 64 KiB writes, CPU", "us/event", self.writing.processor / 1000),
            Measure("pread of one event, scattered, CPU", "us/event", self.reading.processor / 1000),
            Measure("fdatasync of 64 KiB", "us", self.syncing * 1e6),
        ]
    }

    /// What accepting an event costs at least, nanoseconds of the processor.
    var accepting: Double {
        self.encoding.processor + self.copying.processor + self.checksum.processor
    }

    /// How work on some events compares with each floor.
    ///
    /// - Parameters:
    ///   - events: How many events.
    ///   - span: What they took.
    ///   - isBuilding: Whether the span contains the making of the events' values.
    ///   - goal: For processor time against ``accepting``.
    ///   - readingGoal: For processor time against ``accepting`` and ``reading``.
    /// - Returns: A figure for each floor.
    func ratios(
        _ events: Int,
        _ span: Span,
        isBuilding: Bool = true,
        goal: Goal? = nil,
        readingGoal: Goal? = nil
    ) -> [Measure] {
        let processor = span.processor * 1e9 / Double(events)
        let wall = span.wall * 1e9 / Double(events)
        let own = isBuilding ? processor - self.building.processor : processor
        return [
            Measure("CPU / hand encoding", "x", processor / self.encoding.processor),
            Measure("CPU / memcpy", "x", processor / self.copying.processor),
            Measure("CPU / CRC-32C", "x", processor / self.checksum.processor),
            Measure("CPU / (encoding + memcpy + CRC)", "x", processor / self.accepting, goal: goal),
            Measure("CPU without making the value / (same)", "x", own / self.accepting),
            Measure(
                "CPU / (the same + pread)",
                "x",
                processor / (self.accepting + self.reading.processor),
                goal: readingGoal
            ),
            Measure("time / raw 64 KiB writes", "x", wall / self.writing.wall),
            Measure("time of all events / one fdatasync", "x", span.wall / self.syncing),
        ]
    }
}
