//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What an identity call does when another one of the same installation is under way.
public enum ConflictPolicy: Sendable, Hashable {
    /// Throws `requestInProgress` at once; nothing is sent.
    ///
    /// A request that Signet makes by itself (the one at the start, a changed push token) refuses nobody: the first call
    /// waits for a try that is on the wire, and takes its place between two tries. An identify at the start goes on after
    /// it, unless the call has said who it is.
    case refuse
    /// Waits for its turn, first come first served, at most this long; then throws `requestInProgress`.
    case wait(upTo: Duration)
}
