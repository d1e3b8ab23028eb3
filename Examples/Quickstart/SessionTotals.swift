// SPDX-License-Identifier: Apache-2.0

import Signet

/// What a subscriber of the session changes saw.
struct SessionTotals: Sendable, Hashable {
    /// A session that has ended.
    struct Ended: Sendable, Hashable {
        let session: Session
        let summary: Session.Summary
        let reason: String
    }

    /// A session that has begun.
    struct Begun: Sendable, Hashable {
        let installation: InstallationID
        let session: Session
    }

    /// Those that have begun, in that order.
    private(set) var beginnings: [Begun] = []
    /// Those that have ended, in that order.
    private(set) var list: [Ended] = []
    /// How long each session was that has ended.
    private(set) var lengths: [Duration] = []
    /// Changes that came too fast to be seen.
    private(set) var missed = 0

    init(_ changes: Updates<SessionChange>) async {
        for await change in changes {
            switch change.kind {
            case .began: self.beginnings.append(Begun(installation: change.installation, session: change.session))
            case .willEnd: break
            case .ended(let summary):
                self.lengths.append(summary.length)
                let reason = change.endReason?.rawValue ?? ""
                self.list.append(Ended(session: change.session, summary: summary, reason: reason))
            }
        }
        self.missed = changes.droppedCount
    }

    var begun: Int {
        self.beginnings.count
    }

    var ended: Int {
        self.lengths.count
    }

    /// The length in the middle; of two, their mean.
    var medianLength: Duration? {
        let sorted = self.lengths.sorted()
        guard !sorted.isEmpty else { return nil }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
