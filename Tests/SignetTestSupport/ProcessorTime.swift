// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The processor time that this process has used or wanted, in seconds.
enum ProcessorTime {
    /// The time used, and the time that threads have waited for a processor.
    ///
    /// A process that gets no processor beside others is not at rest. Linux tells the waits of each thread that lives
    /// (`sched-stats` of the kernel's documentation); elsewhere the sum is the time used.
    static var usedOrAwaited: Double {
        Double(clock()) / Double(CLOCKS_PER_SEC) + self.awaited
    }

    private static var awaited: Double {
        let tasks = "/proc/self/task"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: tasks) else { return 0 }
        return names.reduce(0) { sum, name in
            // A thread may end meanwhile.
            guard let text = try? String(contentsOfFile: "\(tasks)/\(name)/schedstat", encoding: .utf8) else {
                return sum
            }
            let fields = text.split(separator: " ")
            return sum + (fields.count > 1 ? (Double(fields[1]) ?? 0) / 1e9 : 0)
        }
    }
}
