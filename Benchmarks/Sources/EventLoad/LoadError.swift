// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why a scenario could not be measured.
struct LoadError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A system call that failed, with the reason that the system left.
    init(system call: String) {
        let code = errno
        self.description = "\(call): \(String(cString: strerror(code)))"
    }
}
