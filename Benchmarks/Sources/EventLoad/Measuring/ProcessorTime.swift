// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the threads of a process have worked, in the program and in the kernel for it.
enum ProcessorTime {
    /// Seconds of this process.
    static var own: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
