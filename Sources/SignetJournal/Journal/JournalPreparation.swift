// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Does for appends what takes time: makes the next file, and cuts full ones; the caller holds the upkeep's lock.
struct JournalPreparation: Sendable {
    private let core: StoreCore<JournalState>

    init(_ core: StoreCore<JournalState>) {
        self.core = core
    }

    /// Makes the next file, if it is wanted.
    func run() {
        guard let (number, capacity) = self.core.state.withLock({ $0.takeNextFile() }) else { return }
        do throws(StorageError) {
            let prepared = try PreparedSegment(number: number, capacity: capacity, in: self.core.folder)
            guard let prepared, !self.core.state.withLock({ $0.keep(prepared) }) else { return }
            self.core.folder.discard(prepared.name)
        } catch {
            // The append that needs the file makes it, and reports the disk's error.
        }
    }

    /// Cuts files that take no more frames behind their last one.
    func cutSealed() {
        for segment in self.core.state.withLock({ $0.segments.uncut }) {
            guard segment.cut(in: self.core.folder) else { continue }
            self.core.state.withLock { state in state.withSegments { $0.update(segment.number) { $0.noteCut() } } }
        }
    }

    /// Removes the next file, which is not needed any more.
    func discard() {
        guard let prepared = self.core.state.withLock({ $0.takePrepared() }) else { return }
        do throws(StorageError) {
            try self.core.folder.remove(prepared.name)
        } catch {
            // The next start removes it.
        }
    }
}
