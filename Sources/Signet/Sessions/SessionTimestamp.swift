//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One moment on both clocks: the one that never jumps, and the one on the wall.
struct SessionTimestamp: Sendable, Hashable {
    /// On the clock that never jumps; decides.
    let uptime: Duration
    /// On the wall, in milliseconds since 1970; is written down.
    let milliseconds: Int64

    /// Makes a moment.
    init(uptime: Duration, milliseconds: Int64) {
        self.uptime = uptime
        self.milliseconds = milliseconds
    }

    /// Now.
    init(_ time: TimeSource) {
        self.init(uptime: time.uptime, milliseconds: time.milliseconds)
    }
}
