// SPDX-License-Identifier: Apache-2.0

/// Builds the index of a log from its files.
struct StateLogLoader {
    /// The number of records that go to the index together.
    private static let recordsAtOnce = 64

    private(set) var index = KeyIndex()
    private(set) var files: LogFileSet
    private(set) var lastSequence: UInt64 = 0
    private let store: StoreFolder
    private var replay: Replay
    private var contents: FolderContents

    /// Reads names and headers, without changes.
    init(_ store: StoreFolder) throws(StorageError) {
        self.store = store
        self.replay = Replay(quarantine: store.quarantine)
        self.contents = try store.contents()
        self.files = LogFileSet(kind: .log, store: store, nextNumber: self.contents.nextNumber)
    }

    mutating func load() throws(StorageError) -> RecoveryReport {
        let renamed = try self.contents.tidy(self.store.folder)
        var rest = self.contents.files[...]
        if let position = rest.lastIndex(where: { $0.header.kind == .snapshot }) {
            let old = rest[..<position]
            let snapshot = try self.read(rest[position], isLast: false)
            if snapshot.damagedPlaces == 0, snapshot.lastFrame == .end {
                try self.remove(old)
                rest = rest[(position + 1)...]
            } else if old.isEmpty {
                if snapshot.damagedPlaces == 0 { self.replay.countMissingEnd(of: snapshot.file) }
                rest = rest[(position + 1)...]
            } else {
                // The crash came before the files that the snapshot replaces were removed, so they fill its gaps.
                self.index = KeyIndex()
                self.files = LogFileSet(kind: .log, store: self.store, nextNumber: self.contents.nextNumber)
                self.replay = Replay(quarantine: self.store.quarantine)
            }
        }
        for (position, file) in zip(rest.indices, rest) {
            let isLast = position == rest.endIndex - 1 && file.header.kind == .log
            let outcome = try self.read(file, isLast: isLast)
            // A file of an older version takes no frames: a library of that version may not know their kinds.
            guard isLast, outcome.isAppendable, file.header.isCurrent, let slot = self.files.used.last else { continue }
            self.files.activate(slot)
        }
        return self.replay.report(records: self.index.count, renamed: renamed)
    }

    private mutating func read(_ file: LogFile, isLast: Bool) throws(StorageError) -> Replay.Outcome {
        let slot = self.files.insert(file)
        // It is moved out and back, so that the closure does not touch `self` while `replay` changes.
        var index = KeyIndex()
        swap(&index, &self.index)
        var last = max(self.lastSequence, file.header.sequenceBefore)
        var entries: [KeyIndex.Entry] = []
        entries.reserveCapacity(Self.recordsAtOnce)
        let outcome = try self.replay.read(file, isLast: isLast) { header, offset, bytes in
            last = max(last, header.sequence)
            let hash = KeyHash(header.key(in: bytes))
            switch header.kind {
            case .put, .putDue:
                entries.append(KeyIndex.Entry(hash: hash, header, slot: slot, offset: offset))
                guard entries.count == Self.recordsAtOnce else { return }
                index.put(entries)
                entries.removeAll(keepingCapacity: true)
            case .remove:
                index.put(entries)
                entries.removeAll(keepingCapacity: true)
                index.remove(hash)
            case .end, .acknowledge, .copy:
                break
            }
        }
        index.put(entries)
        swap(&index, &self.index)
        self.lastSequence = last
        self.files.update(slot, outcome.file)
        return outcome
    }

    /// Removes the files that a complete snapshot replaces, oldest first.
    private func remove(_ files: ArraySlice<LogFile>) throws(StorageError) {
        guard !files.isEmpty else { return }
        for file in files {
            try self.store.folder.remove(file.name)
        }
        try self.store.folder.sync()
    }
}
