//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Keeps copies of bytes that cannot be used where they are, and knows what it has already.
///
/// Each file has at most one aside file per reason, so that damage cannot fill a folder with files.
final class Quarantine: Sendable {
    /// Why bytes were set aside.
    enum Reason: String, Sendable {
        /// The end of an append that a crash cut short; the bytes are cut off after copying.
        case torn
        /// Bytes that changed after they were written; they stay where they are.
        case damaged
    }

    /// What became of bytes.
    enum Outcome: Sendable {
        /// They are in the aside file now.
        case kept
        /// They had been set aside before this process.
        case keptBefore
        /// They had been set aside by this process.
        case keptAlready
        /// They could not be copied.
        case failed(StorageError)
    }

    private struct Aside: Sendable {
        var file: LogFile
        /// The offsets that an earlier process set aside.
        var before: Set<UInt64>
        var now: Set<UInt64> = []
        /// Something was written to it since it was flushed.
        var isDirty = false
    }

    private let folder: Folder
    private let deadLettered = Locked<[String: Aside]>([:])

    init(folder: Folder) {
        self.folder = folder
    }

    /// The names of aside files that were written to, in byte order.
    var names: [String] {
        self.deadLettered.withLock { $0.values.filter { !$0.now.isEmpty }.map(\.file.name).sorted() }
    }

    /// Copies a part of a file aside.
    func keep(_ range: Range<UInt64>, of file: LogFile, _ reason: Reason) -> Outcome {
        self.deadLettered.withLock { deadLettered in
            do throws(StorageError) {
                let name = "\(file.name).\(reason.rawValue)"
                if deadLettered[name] == nil { deadLettered[name] = try self.open(name, number: file.header.number) }
                guard var aside = deadLettered[name] else { return .keptAlready }
                defer { deadLettered[name] = aside }
                // The bytes of a torn end were cut off: the same offset may be torn again, with other bytes.
                if reason == .damaged {
                    if aside.before.contains(range.lowerBound) { return .keptBefore }
                    if aside.now.contains(range.lowerBound) { return .keptAlready }
                }
                try Self.copy(range, of: file.file, to: &aside.file)
                aside.now.insert(range.lowerBound)
                aside.isDirty = true
                if reason == .torn {
                    // The bytes will be cut off at their place.
                    try aside.file.file.sync()
                    try self.folder.sync()
                }
                return .kept
            } catch {
                return .failed(error)
            }
        }
    }

    /// Flushes all copies and their names, before the files they were taken from are removed.
    func sync() throws(StorageError) {
        try self.deadLettered.withLock { deadLettered throws(StorageError) in
            let dirty = deadLettered.filter { $0.value.isDirty }
            guard !dirty.isEmpty else { return }
            for aside in dirty.values {
                try aside.file.file.sync()
            }
            try self.folder.sync()
            for name in dirty.keys { deadLettered[name]?.isDirty = false }
        }
    }

    /// Lets the files go: their folder was removed.
    func forget() {
        self.deadLettered.withLock { $0 = [:] }
    }

    /// Removes all copies there are, also those of earlier processes, and what crashes left unfinished.
    ///
    /// Nobody may be making a file of these kinds meanwhile.
    ///
    /// - Returns: How many files with copies there were.
    func erase(_ kinds: [FileHeader.Kind]) throws(StorageError) -> Int {
        try self.deadLettered.withLock { deadLettered throws(StorageError) in
            // Each is begun anew when there is something to keep.
            deadLettered = [:]
            let names = try self.folder.names().filter { text in
                FileName(text).map { name in kinds.contains { name.suffix.hasPrefix($0.suffix + ".") } } ?? false
            }
            guard !names.isEmpty else { return 0 }
            for name in names { try self.folder.remove(name) }
            try self.folder.sync()
            return names.count { !$0.hasSuffix("." + FileName.unfinished) }
        }
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
                case .tail(_, let range):
                    aside.end = range.lowerBound
                    aside.hasLeftovers = true
                    break walk
                case .end:
                    break walk
                }
            }
            return Aside(file: aside, before: known)
        case .unreadable where size <= UInt64(FileHeader.size):
            // New, or cut short by a crash before the first copy: there is nothing in it yet.
            let header = FileHeader(kind: .aside, salt: .random(in: 1 ... .max), number: number, base: 0)
            try file.truncate(to: 0)
            try file.write(header.encoded, at: 0)
            return Aside(file: LogFile(file: file, header: header, end: UInt64(FileHeader.size)), before: [])
        case .newer, .unreadable:
            throw StorageError.damaged(file.path, at: 0)
        }
    }

    private static func copy(
        _ range: Range<UInt64>,
        of source: OpenFile,
        to aside: inout LogFile
    ) throws(StorageError) {
        var offset = range.lowerBound
        // An empty range is written down too: it stands for bytes that are missing.
        repeat {
            let count = Int(clamping: min(UInt64(FileWindow.pieceSize), range.upperBound - offset))
            let bytes = try source.bytes(at: offset, count: count)
            var frame: [UInt8] = []
            bytes.withUnsafeBytes { value in
                FrameHeader.encode(
                    .copy,
                    sequence: offset,
                    key: UnsafeRawBufferPointer(start: nil, count: 0),
                    value: value,
                    salt: aside.header.salt,
                    to: &frame
                )
            }
            _ = try aside.append(frame, frames: 1)
            offset += UInt64(count)
        } while offset < range.upperBound
    }
}
