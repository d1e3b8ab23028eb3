//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What became of a call that outlives its caller.
public enum InfobipSaveResult: Sendable, Hashable {
    /// The service has done it, or has had it already.
    case done
    /// It is kept, and is tried again: once there is a registration, at every start, when the network is back, and with
    /// growing pauses.
    case pending
}
