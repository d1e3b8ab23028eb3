// SPDX-License-Identifier: Apache-2.0

import CFloors
import Glibc

/// Ends the process in order on SIGINT and SIGTERM: what must be cleared is cleared, then it exits as a shell expects.
///
/// By a handler and not by a mask: Dispatch lets every signal in on the main thread once it has nothing else to do.
final class Interruption: Sendable {
    /// Waits for a signal beside everything else.
    ///
    /// - Parameter clear: Removes what must not be left behind.
    /// - Throws: What a system call says.
    init(_ clear: @escaping @Sendable () -> Void) throws {
        guard floors_catch_signals() == 0 else { throw LoadError(system: "sigaction") }
        let thread = try OSThread {
            let signal = floors_wait_for_signal()
            clear()
            _exit(128 + signal)
        }
        thread.detach()
    }
}
