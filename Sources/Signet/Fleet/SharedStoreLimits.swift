// SPDX-License-Identifier: Apache-2.0

/// The limits of the calls on a ``SharedStore``.
///
/// A store refuses a call outside them with ``SharedStoreError/Code/invalidArgument`` and sends nothing. Only
/// ``sessionEvents`` is different: a session stops to count there.
public enum SharedStoreLimits {
    /// The maximum number of keys, users, commits or hashes of one call, and of rows that one call asks for.
    public static let batch = 256
    /// The maximum number of users of one page of ``SharedStore/mentionedUsers(after:limit:)``.
    public static let users = 4096
    /// The maximum number of activities of one flush.
    public static let activities = 16_384
    /// The maximum size of ``SharedInstallation/state``, of ``SharedInstallation/outbox`` and of
    /// ``SharedConsent/state``, in bytes each.
    public static let valueBytes = 64 * 1024
    /// The number of tags that a row remembers.
    public static let tags = 16
    /// The maximum number of days of ``SharedStore/removeIdle(days:limit:)``,
    /// ``SharedStore/removeConsents(days:limit:)`` and ``SharedStore/forgetEnded(days:)``.
    public static let days = 36_500
    /// The greatest number of events that a session counts; a store keeps this number where there are more.
    ///
    /// It leaves room: a replica may add its own events to the number without an overflow.
    public static let sessionEvents = Int(Int32.max)
}
