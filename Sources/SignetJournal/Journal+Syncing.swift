//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Makes all frames and acknowledgements so far survive a loss of power.
    ///
    /// Callers who wait for the flush of another need none of their own if theirs were covered by it. A flush that fails is
    /// not tried again on the same file, where it would seem to work: a copy of the file is written and flushed, and takes
    /// its place.
    ///
    /// - Throws: When that fails too. The frames stay readable; the next call begins with writing them again.
    package func sync() throws(StorageError) {
        let wanted = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return state.changes
        }
        try self.upkeep.withLock { _ throws(StorageError) in
            let plan = try self.state.withLock { state throws(StorageError) -> (FlushPlan, FlushPlan, UInt64)? in
                try state.checkOpen(self.folder)
                guard state.syncedChanges < wanted || state.hasSuspects else { return nil }
                return (state.files.flushPlan, state.acknowledgements.flushPlan, state.changes)
            }
            guard let (frames, acknowledgements, changes) = plan else { return }
            let outcomes = (frames.perform(self.folder), acknowledgements.perform(self.folder))
            try self.state.withLock { state throws(StorageError) in
                state.syncCount += frames.files.count + acknowledgements.files.count
                try state.files.finish(frames, outcomes.0)
                try state.acknowledgements.finish(acknowledgements, outcomes.1)
                state.syncedChanges = changes
            }
        }
    }
}
