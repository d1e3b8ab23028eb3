// SPDX-License-Identifier: Apache-2.0

/// The work of a flush, planned under the log's lock and performed outside it.
struct FlushPlan: Sendable {
    /// The files with unflushed bytes.
    var files: [(slot: Int, file: LogFile)]

    /// The number of names made when the plan was made; nil if all are flushed.
    var names: Int?

    struct Outcome: Sendable {
        var flushed: [(slot: Int, file: LogFile)] = []
        var failed: [(slot: Int, file: LogFile)] = []
        var isFolderFlushed = true
    }

    /// Flushes file by file; takes milliseconds, or seconds on a busy disk.
    func perform(_ folder: Folder) -> Outcome {
        var outcome = Outcome()
        for (slot, file) in self.files {
            do throws(StorageError) {
                // A suspect file is not flushed again, because success would prove nothing. A file without a name would
                // not be found after a restart.
                guard !file.isSuspect, try file.file.status().links > 0 else {
                    outcome.failed.append((slot, file))
                    continue
                }
                try file.file.sync()
                outcome.flushed.append((slot, file))
            } catch {
                outcome.failed.append((slot, file))
            }
        }
        guard self.names != nil else { return outcome }
        do throws(StorageError) {
            try folder.sync()
        } catch {
            outcome.isFolderFlushed = false
        }
        return outcome
    }
}

extension LogFileSet {
    /// The work of a flush now.
    var flushPlan: FlushPlan {
        let files = self.slots.indices.compactMap { slot -> (slot: Int, file: LogFile)? in
            guard let file = self.slots[slot], file.isSuspect || file.flushedEnd < file.end else { return nil }
            return (slot, file)
        }
        return FlushPlan(files: files, names: self.namesFlushed < self.namesMade ? self.namesMade : nil)
    }

    /// Applies the result of a flush, and writes the files again that it could not flush.
    ///
    /// - Throws: An error when that fails too; the next flush begins with it.
    mutating func finish(_ plan: FlushPlan, _ outcome: FlushPlan.Outcome) throws(StorageError) {
        for (slot, file) in outcome.flushed where self.slots[slot]?.file.isSame(as: file.file) == true {
            self.slots[slot]?.flushedEnd = file.end
        }
        for (slot, file) in outcome.failed where self.slots[slot]?.file.isSame(as: file.file) == true {
            self.slots[slot]?.isSuspect = true
        }
        if outcome.isFolderFlushed {
            self.namesFlushed = max(self.namesFlushed, plan.names ?? 0)
        } else {
            // Only making the names again lets a flush of the folder prove anything.
            for slot in self.used {
                self.slots[slot]?.isSuspect = true
            }
        }
        for slot in self.used where self.slots[slot]?.isSuspect == true {
            try self.slots[slot]?.replace(in: self.folder)
        }
        if !outcome.isFolderFlushed { self.namesFlushed = self.namesMade }
    }
}
