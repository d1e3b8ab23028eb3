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
        /// Its end is decided and written down; `ended` follows.
        case willEnd(SessionSummary)
        /// It ended; after a kill this is told by the next open.
        case ended(SessionSummary)
    }

    /// Why a session ended.
    public enum EndReason: String, Sendable, Hashable {
        /// Nothing happened for longer than the timeout.
        case timeout
        /// The app ended it.
        case app
        /// The process that it was open in is gone; the next open ended it.
        case launch
    }

    /// Where.
    public let installation: InstallationID
    /// What happened.
    public let kind: Kind
    /// Which session.
    public let session: Session
    /// Who was current; nil when nobody was known.
    public let mpid: MPID?
    /// Why it ended; nil at its begin.
    public let endReason: EndReason?

    /// From its begin to its last event; nil at its begin.
    public var length: Duration? {
        switch self.kind {
        case .began: nil
        case .willEnd(let summary), .ended(let summary): summary.length
        }
    }

    /// Whether it ended.
    public var isEnd: Bool {
        if case .ended = self.kind { true } else { false }
    }
}
