// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Copies unusable bytes to aside files, and remembers the copies it has.
///
/// Each file has at most one aside file per reason, so that damage cannot fill a folder with files.
final class Quarantine: Sendable {
    enum Reason: String, Sendable {
        /// The end of an append that a crash cut short; the bytes are cut off after copying.
        case torn
        /// Bytes that changed after they were written; they stay in place.
        case damaged
    }

    enum Outcome: Sendable {
        /// The bytes are now in the aside file.
        case kept
        /// An earlier process had copied them.
        case keptBefore
        /// This process had copied them.
        case keptAlready
        /// The bytes could not be copied.
        case failed(StorageError)
    }

    private struct Aside: Sendable {
        var file: LogFile
        /// The offsets that an earlier process copied.
        var before: Set<UInt64>
        var now: Set<UInt64> = []
        /// The number of copies in it, and how many of them a flush covered.
        var written = 0
        var flushed = 0

        /// True if it was written since its last flush.
        var isDirty: Bool { self.flushed < self.written }
    }

    private let folder: Folder
    private let asides = Locked<[String: Aside]>([:])

    init(folder: Folder) {
        self.folder = folder
    }

    /// The names of aside files with new copies, in byte order.
    var names: [String] {
        self.asides.withLock { $0.values.filter { !$0.now.isEmpty }.map(\.file.name).sorted() }
    }

    /// Copies a part of a file to its aside file.
    func keep(_ range: Range<UInt64>, of file: LogFile, _ reason: Reason) -> Outcome {
        self.asides.withLock { asides in
            do throws(StorageError) {
                let name = "\(file.name).\(reason.rawValue)"
                if asides[name] == nil { asides[name] = try self.open(name, number: file.header.number) }
                guard var aside = asides[name] else { return .keptAlready }
                defer { asides[name] = aside }
                // The bytes of a torn end were cut off, so the same offset may be torn again with other bytes.
                if reason == .damaged {
                    if aside.before.contains(range.lowerBound) { return .keptBefore }
                    if aside.now.contains(range.lowerBound) { return .keptAlready }
                }
                try Self.copy(range, of: file.file, to: &aside.file)
                aside.now.insert(range.lowerBound)
                aside.written += 1
                if reason == .torn {
                    // The bytes will be cut off in their own file.
                    try aside.file.file.sync()
                    try self.folder.sync()
                }
                return .kept
            } catch {
                return .failed(error)
            }
        }
    }

    /// True if no copy needs a flush.
    var isFlushed: Bool {
        self.asides.withLock { !$0.values.contains(where: \.isDirty) }
    }

    /// Flushes all copies and their names, before the files of the originals are removed.
    ///
    /// Others can copy meanwhile; their copies need another flush.
    func sync() throws(StorageError) {
        let dirty = self.asides.withLock { $0.values.filter(\.isDirty) }
        guard !dirty.isEmpty else { return }
        for aside in dirty {
            try aside.file.file.sync()
        }
        try self.folder.sync()
        self.asides.withLock { asides in
            for aside in dirty {
                let name = aside.file.name
                // An erasure may have removed the file, and another may have its name.
                guard let now = asides[name], now.file.header == aside.file.header else { continue }
                asides[name]?.flushed = max(now.flushed, aside.written)
            }
        }
    }

    /// Releases the files after their folder was removed.
    func forget() {
        self.asides.withLock { $0 = [:] }
    }

    /// Removes all copies, including those of earlier processes, and files that crashes left unfinished.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of the store's files.
    ///   - nextNumbers: Returns the number of the next file of each kind. An unfinished file whose number was taken
    ///     during the call stays, because it may be in the making.
    /// - Returns: The number of removed files with copies.
    /// - Throws: The disk's error.
    func erase(
        _ kinds: [FileHeader.Kind],
        _ nextNumbers: () -> [FileHeader.Kind: UInt64]
    ) throws(StorageError) -> Int {
        // Outside the lock: who takes a number holds the store's lock, and may wait for this one.
        let before = nextNumbers()
        let all = try self.folder.names()
        let after = nextNumbers()
        let unfinished = all.filter { text in
            guard let (number, kind, isUnfinished) = Self.parts(text, kinds), isUnfinished else { return false }
            return number < before[kind] ?? 0 || number >= after[kind] ?? 0
        }
        for name in unfinished { try self.folder.remove(name) }
        return try self.asides.withLock { asides throws(StorageError) in
            // Each is begun again for the next copy.
            asides = [:]
            let copies = try self.folder.names().filter { text in
                Self.parts(text, kinds).map { !$0.isUnfinished } ?? false
            }
            for name in copies { try self.folder.remove(name) }
            if !unfinished.isEmpty || !copies.isEmpty { try self.folder.sync() }
            return copies.count
        }
    }

    /// Returns the parts of a name that is not one of a complete file; nil for any other.
    private static func parts(
        _ text: String,
        _ kinds: [FileHeader.Kind]
    ) -> (number: UInt64, kind: FileHeader.Kind, isUnfinished: Bool)? {
        guard let name = FileName(text), let kind = kinds.first(where: { name.suffix.hasPrefix($0.suffix + ".") })
        else { return nil }
        return (name.number, kind, name.suffix.hasSuffix("." + FileName.unfinished))
    }

    private func open(_ name: String, number: UInt64) throws(StorageError) -> Aside {
        let file = try self.folder.ensureFile(name)
        let size = try file.status().size
        switch FileHeader.read(try file.bytes(at: 0, count: FileHeader.size)) {
        case .known(let header):
            var aside = LogFile(file: file, header: header, end: size)
            var known: Set<UInt64> = []
            var scanner = FrameScanner(file, to: size, salt: header.salt)
            walk: while true {
                switch try scanner.next() {
                case .frame(let header, _):
                    known.insert(header.sequence)
                case .damagedValue, .gap:
                    continue
                case .tail(let range):
                    aside.shorten(to: range.lowerBound, isCut: false)
                    break walk
                case .end:
                    break walk
                }
            }
            return Aside(file: aside, before: known)
        case .unreadable where size <= UInt64(FileHeader.size):
            // The file is new, or a crash cut it short before the first copy, so it holds none yet.
            let header = FileHeader(kind: .aside, salt: .random(in: 1 ... .max), number: number, base: 0)
            try file.truncate(to: 0)
            try file.write(header.encoded, at: 0)
            return Aside(file: LogFile(file: file, header: header, end: UInt64(FileHeader.size)), before: [])
        case .other, .unreadable:
            throw StorageError.damaged(file.path, at: 0)
        }
    }

    private static func copy(
        _ range: Range<UInt64>,
        of source: OpenFile,
        to aside: inout LogFile
    ) throws(StorageError) {
        var offset = range.lowerBound
        // An empty range is recorded too; it represents missing bytes.
        repeat {
            let count = Int(clamping: min(UInt64(FileWindow.pieceSize), range.upperBound - offset))
            let bytes = try source.bytes(at: offset, count: count)
            var frame: [UInt8] = []
            FrameHeader.encode(.copy, sequence: offset, value: bytes, salt: aside.header.salt, to: &frame)
            _ = try aside.append(frame, frames: 1)
            offset += UInt64(count)
        } while offset < range.upperBound
    }
}
