// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What raw writes of the same bytes cost as the file grows, up to the same marks: the kernel, and below it a hypervisor that
/// hands out memory when it is touched first, ask for more where memory was not used before.
struct RawGrowth {
    /// The cost of an event's bytes among the last ones before each mark.
    let costs: [Cost]

    /// Measures it.
    ///
    /// - Parameters:
    ///   - marks: Numbers of events, ascending.
    ///   - window: How many events before a mark are measured.
    ///   - size: The bytes of one on disk.
    ///   - workspace: Where the file is written; it is removed.
    /// - Throws: What a system call says.
    init(to marks: [Int], window: Int, size: Int, in workspace: Workspace) throws {
        let path = workspace.fresh("raw")
        let file = try FileBytes.create(path)
        defer {
            close(file)
            unlink(path)
        }
        let zeros = [UInt8](repeating: 0, count: 64 << 10)
        func write(_ events: Int) throws {
            var rest = events * size
            while rest > 0 {
                let count = min(rest, zeros.count)
                try zeros.withUnsafeBytes { zeros in
                    try FileBytes.write(UnsafeRawBufferPointer(rebasing: zeros[..<count]), to: file)
                }
                rest -= count
            }
        }
        var written = 0
        var costs: [Cost] = []
        for mark in marks {
            try write(max(0, mark - window - written))
            costs.append(try Cost.of(window) { try write(window) })
            written = mark
        }
        self.costs = costs
    }
}
