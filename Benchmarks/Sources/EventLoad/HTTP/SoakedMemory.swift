//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if HTTP
/// The memory of the process at one moment, in bytes.
struct MemoryLook {
    /// With what the allocator holds in reserve.
    let anonymous: Int
    /// What was allocated and not freed.
    let inUse: Int

    init() throws {
        self.anonymous = try Memory.anonymous()
        self.inUse = Memory.inUse()
    }
}

/// What the memory of a process did while it soaked.
struct SoakedMemory {
    /// One a second.
    let looks: [MemoryLook]
    let requests: Int
    /// What a request through the bare transport leaves allocated, in bytes.
    let keptByRequest: Double

    /// MiB.
    private static let growthLimit = 8.0

    /// Why the memory is not flat, if it is not.
    ///
    /// Where the transport itself loses memory, only what is allocated can be held against the floor: what is lost lies
    /// scattered, and the allocator needs more than its bytes to work around it.
    var fault: String? {
        let growth = self.growth(of: \.anonymous)
        let beyond = self.floor < 1 ? growth : self.growth(of: \.inUse) - self.floor
        guard min(growth, beyond) > Self.growthLimit else { return nil }
        return "memory has grown by \(Int(beyond)) MiB since a tenth of the time, beyond what the transport keeps"
    }

    /// The figures.
    var measures: [Measure] {
        let growth = self.growth(of: \.anonymous)
        let allocated = self.growth(of: \.inUse)
        return [
            Measure("memory after a tenth (RssAnon)", "MiB", Self.mebibytes(self.tenth.anonymous)),
            Measure("memory at most (RssAnon)", "MiB", Self.mebibytes(self.looks.map(\.anonymous).max() ?? 0)),
            Measure("memory at the end (RssAnon)", "MiB", Self.mebibytes(self.end.anonymous)),
            Measure("growth from a tenth to the end", "MiB", growth, goal: .atMost(Self.growthLimit)),
            Measure("requests", "", Double(self.requests)),
            Measure("floor: what a bare request leaves allocated", "bytes", self.keptByRequest),
            Measure("floor: that of as many requests", "MiB", self.floor),
            Measure("growth of what is allocated", "MiB", allocated),
            Measure("that beyond the floor", "MiB", allocated - self.floor, goal: .atMost(Self.growthLimit)),
        ]
    }

    private var tenth: MemoryLook { self.looks[self.looks.count / 10] }
    private var end: MemoryLook { self.looks[self.looks.count - 1] }

    /// MiB.
    private var floor: Double {
        self.keptByRequest * Double(self.requests) * 0.9 / 1_048_576
    }

    private func growth(of bytes: KeyPath<MemoryLook, Int>) -> Double {
        Self.mebibytes(self.end[keyPath: bytes] - self.tenth[keyPath: bytes])
    }

    private static func mebibytes(_ bytes: Int) -> Double {
        Double(bytes) / 1_048_576
    }
}
#endif
