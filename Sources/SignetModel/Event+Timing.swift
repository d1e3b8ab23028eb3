//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Event {
    /// When something began and how long it took, for events that take time.
    package struct Timing: Sendable, Hashable {
        /// Milliseconds since 1970.
        package var start: Int64
        /// Milliseconds.
        package var duration: Int64

        package init(start: Int64, duration: Int64) {
            self.start = start
            self.duration = duration
        }
    }
}
