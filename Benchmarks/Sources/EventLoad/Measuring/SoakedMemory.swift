// SPDX-License-Identifier: Apache-2.0

/// What the memory of a process did while it soaked.
struct SoakedMemory {
    /// At equal distances.
    let looks: [MemoryLook]
    /// How many requests there were, at a steady rate.
    let requests: Int
    /// Bytes that a request leaves allocated without Signet and its transports; 0 where the carrier's own code leaves none.
    let lostByCarrier: Double

    /// MiB.
    private static let growthLimit = 8.0

    init(looks: [MemoryLook], requests: Int, lostByCarrier: Double = 0) {
        precondition(!looks.isEmpty, "nobody has looked")
        self.looks = looks
        self.requests = requests
        self.lostByCarrier = lostByCarrier
    }

    /// Why the memory is not flat, if it is not.
    var fault: String? {
        guard self.decisive > Self.growthLimit else { return nil }
        let what = self.hasFloor ? "what is allocated beyond what the carrier loses" : "memory"
        return "\(what) has grown by \(Int(self.decisive)) MiB since a tenth of the time"
    }

    /// The figures.
    var measures: [Measure] {
        let limit = Goal.atMost(Self.growthLimit)
        var measures = [
            Measure("memory after a tenth (RssAnon)", "MiB", Self.mebibytes(self.tenth.anonymous)),
            Measure("memory at most (RssAnon)", "MiB", Self.mebibytes(self.looks.map(\.anonymous).max() ?? 0)),
            Measure("memory at the end (RssAnon)", "MiB", Self.mebibytes(self.end.anonymous)),
            Measure("growth from a tenth to the end", "MiB", self.growth, goal: limit),
            Measure("growth of what is allocated", "MiB", self.growthAllocated),
            Measure("requests", "", Double(self.requests)),
        ]
        if self.hasFloor {
            measures += [
                Measure("floor: what a bare request loses", "bytes", self.lostByCarrier),
                Measure("floor: that of as many requests", "MiB", self.floor),
                Measure("growth of what is allocated beyond it", "MiB", self.decisive, goal: limit),
            ]
        }
        return measures
    }

    /// What must not be above the limit.
    ///
    /// What a carrier loses lies between what lives, and the allocator may need more than its bytes to work around it: only
    /// what is allocated can be held against the floor.
    private var decisive: Double {
        self.hasFloor ? self.growthAllocated - self.floor : self.growth
    }

    // A byte a request is what counting costs.
    private var hasFloor: Bool { self.lostByCarrier >= 1 }

    private var tenth: MemoryLook { self.looks[self.looks.count / 10] }
    private var end: MemoryLook { self.looks[self.looks.count - 1] }

    private var growth: Double {
        Self.mebibytes(self.end.anonymous - self.tenth.anonymous)
    }

    // The least of the second tenth and of the last: what waits and what is on its way come and go by some MiB.
    private var growthAllocated: Double {
        let tenth = self.looks.count / 10
        let before = self.looks[tenth...].prefix(max(1, tenth)).map(\.inUse).min() ?? 0
        let after = self.looks.suffix(max(1, tenth)).map(\.inUse).min() ?? 0
        return Self.mebibytes(after - before)
    }

    /// Between the second tenth of the time and the last, eight tenths of the requests were made.
    private var floor: Double {
        self.lostByCarrier * Double(self.requests) * 0.8 / 1_048_576
    }

    private static func mebibytes(_ bytes: Int) -> Double {
        Double(bytes) / 1_048_576
    }
}
