// SPDX-License-Identifier: Apache-2.0

/// Whom something is for, as far as its app can know.
struct InfobipAim: Sendable {
    let installation: Int
    /// Whom the app saw, before and after.
    var seen: Set<String>
    var eras: ClosedRange<Int>
    /// Nobody can say for whom it was: the app did not know.
    var isAnybodys: Bool
    /// Somebody else was being asked for: of two calls side by side, either may be the first.
    var isOpen = false
}
