// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// The begin or the end of a session.
public struct SessionChange: Sendable, Hashable {
    /// The kinds of session changes.
    public enum Kind: Sendable, Hashable {
        /// The session began; `currentSession` already shows it.
        case began
        /// The end of the session is decided and persisted; `ended` follows.
        ///
        /// An event that is logged now belongs to the next session, and begins it.
        case willEnd(Session.Summary)
        /// The session ended. After a kill, the next open publishes this.
        case ended(Session.Summary)
    }

    /// The reason for the end of a session.
    public enum EndReason: String, Sendable, Hashable {
        /// There was no activity for longer than the timeout.
        case timeout
        /// The app ended it.
        case app
        /// The process of the session is gone; the next open ended the session, or the first start with a shared store.
        case launch
        /// The installation has opted out. The platform hears of no end.
        case optedOut
    }

    /// The installation of the session.
    public let installation: InstallationID
    /// The kind of change.
    public let kind: Kind
    /// The session that changed.
    public let session: Session
    /// The current user's MPID; nil if there was no user.
    public let mpid: MPID?
    /// The reason for the end; nil at the begin.
    public let endReason: EndReason?

    /// The time from the begin of the session to its last event; nil at the begin.
    public var length: Duration? {
        switch self.kind {
        case .began: nil
        case .willEnd(let summary), .ended(let summary): summary.length
        }
    }

    /// True if the session ended.
    public var isEnd: Bool {
        if case .ended = self.kind { true } else { false }
    }
}
