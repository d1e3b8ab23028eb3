//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import struct FoundationEssentials.Date

/// The only access to the machine's clock.
enum SystemTime {
    static func date() -> Date {
        Date()
    }

    static func clock() -> any Clock<Duration> {
        ContinuousClock()
    }
}
