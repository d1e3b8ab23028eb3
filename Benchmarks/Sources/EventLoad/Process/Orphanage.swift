// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Ends a child process when its parent is gone.
enum Orphanage {
    /// Watches the pipe from the parent, in a thread of its own.
    static func watch() throws {
        let thread = try OSThread {
            var byte: UInt8 = 0
            while read(0, &byte, 1) == 1 {}
            _exit(0)
        }
        thread.detach()
    }
}
