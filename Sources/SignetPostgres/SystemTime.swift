// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
/// The monotonic clock of this module; only the thread and the store's entry read it.
enum SystemTime {
    private static let start = ContinuousClock.now

    /// The time since an arbitrary moment of this process.
    static var now: Duration {
        Self.start.duration(to: ContinuousClock.now)
    }
}
#endif
