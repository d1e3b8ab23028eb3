// SPDX-License-Identifier: Apache-2.0

/// The only access to the machine's clock.
enum SystemTime {
    static func clock() -> any Clock<Duration> {
        ContinuousClock()
    }
}
