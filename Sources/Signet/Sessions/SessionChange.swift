//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// A session has begun or ended.
public struct SessionChange: Sendable, Hashable {
    /// What happened to it.
    public enum Kind: Sendable, Hashable {
        /// It began; `currentSession` showed it before this was told.
        case began
        /// It ended, after this length from its begin to its last event, in whole milliseconds.
        case ended(length: Duration)
    }

    /// Where.
    public let installation: InstallationID
    /// What happened.
    public let kind: Kind
    /// Which session.
    public let session: Session
    /// Who was current; nil when nobody was known.
    public let mpid: MPID?
}
