// SPDX-License-Identifier: Apache-2.0

/// The progress of an erasure of the fleet on a replica's own disk.
enum ErasureStage: Sendable, Hashable {
    /// While rows still knew the user: events of theirs may have been logged here since.
    case early
    /// After all rows had forgotten the user.
    case complete
}
