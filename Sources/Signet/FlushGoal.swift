//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How far ``SignetRuntime/flush(_:within:)`` goes.
public enum FlushGoal: Sendable, Hashable {
    /// Survives the loss of power: on the disk, not only in the kernel.
    case synced
    /// Answered by the platform: taken, or refused for good and set aside.
    case uploaded
}
