//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Glibc

/// Ends the process in order on SIGINT and SIGTERM: what must be cleared is cleared, then it exits as a shell expects.
final class Interruption: Sendable {
    /// Keeps both signals from every thread that is made from now on.
    static func block() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for a signal beside everything else.
    ///
    /// - Parameter clear: Removes what must not be left behind.
    /// - Throws: What a system call or the runtime says.
    init(_ clear: @escaping @Sendable () -> Void) throws {
        let thread = try OSThread {
            var signals = Self.signals
            var signal: CInt = 0
            while sigwait(&signals, &signal) != 0 {}
            clear()
            _exit(128 + signal)
        }
        thread.detach()
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        return signals
    }
}
