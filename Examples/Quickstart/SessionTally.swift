//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// What a subscriber of the session changes saw.
struct SessionTally: Sendable, Hashable {
    private(set) var begun = 0
    /// How long each session was that has ended.
    private(set) var lengths: [Duration] = []
    /// Changes that came too fast to be seen.
    private(set) var missed = 0

    init(_ changes: SessionChanges) async {
        for await change in changes {
            switch change.kind {
            case .began: self.begun += 1
            case .ended(let length): self.lengths.append(length)
            }
        }
        self.missed = changes.droppedCount
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
