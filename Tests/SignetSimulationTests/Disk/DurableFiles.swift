// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTestSupport

/// What of a folder would be there after a loss of power: what was flushed, and of the rest anything.
struct DurableFiles: Sendable {
    /// A change of the names in a folder that no flush has covered.
    private enum Change: Sendable {
        case name(String, UInt64?)
        case rename(String, to: String, UInt64)
    }

    private struct Names: Sendable {
        var flushed: [String: UInt64] = [:]
        var now: [String: UInt64] = [:]
        var changes: [Change] = []
    }

    private let root: DiskFolder
    private var names: [DiskFolder: Names] = [:]
    /// The bytes of each file as of its last flush.
    private var flushed: [UInt64: [UInt8]] = [:]
    /// The bytes that a failed flush left marked as clean: a later flush does not bring them to the medium.
    private var suspects: [UInt64: [UInt8]] = [:]
    /// The bytes of files that have lost their name.
    private var nameless: [UInt64: [UInt8]] = [:]

    /// Takes everything that is there for flushed.
    init(root: DiskFolder) {
        self.root = root
        for folder in root.tree {
            let inodes = folder.inodes
            self.names[folder] = Names(flushed: inodes, now: inodes)
            for (name, inode) in inodes { self.flushed[inode] = folder.contents(of: name) }
        }
    }

    // MARK: - Watching

    /// A call is about to be made, or to fail.
    mutating func observe(_ request: Disk.Request, fails: Bool) {
        let folder = DiskFolder(path: request.call == .syncFolder ? request.name : request.folder)
        switch request.call {
        case .sync:
            self.look(at: folder)
            guard let inode = self.names[folder]?.now[request.name] else { return }
            let bytes = folder.contents(of: request.name)
            if fails { self.suspects[inode] = bytes } else { self.flush(inode, bytes) }
        case .syncFolder where !fails:
            self.look(at: folder)
            let now = self.names[folder]?.now ?? [:]
            self.names[folder] = Names(flushed: now, now: now)
        case .rename where !fails:
            guard let target = request.target else { return }
            self.look(at: folder)
            self.unname(target, in: folder)
            guard let inode = self.names[folder]?.now.removeValue(forKey: request.name) else { return }
            self.names[folder]?.now[target] = inode
            self.names[folder]?.changes.append(.rename(request.name, to: target, inode))
        case .remove where !fails:
            self.look(at: folder)
            self.unname(request.name, in: folder)
            guard self.names[folder]?.now.removeValue(forKey: request.name) != nil else { return }
            self.names[folder]?.changes.append(.name(request.name, nil))
        default:
            break
        }
    }

    private mutating func unname(_ name: String, in folder: DiskFolder) {
        guard let inode = self.names[folder]?.now[name] else { return }
        self.nameless[inode] = folder.contents(of: name)
    }

    /// Finds files that were made, or removed past the seam.
    private mutating func look(at folder: DiskFolder) {
        var names = self.names[folder] ?? Names()
        let inodes = folder.inodes
        for name in Set(inodes.keys).union(names.now.keys).sorted() where inodes[name] != names.now[name] {
            if let inode = inodes[name], !names.now.values.contains(inode) {
                // A new file may get the number of one that is gone.
                self.flushed[inode] = nil
                self.suspects[inode] = nil
                self.nameless[inode] = nil
            }
            names.changes.append(.name(name, inodes[name]))
        }
        names.now = inodes
        self.names[folder] = names
    }

    private mutating func flush(_ inode: UInt64, _ bytes: [UInt8]) {
        guard let suspect = self.suspects[inode] else { return self.flushed[inode] = bytes }
        let before = self.flushed[inode] ?? []
        self.flushed[inode] = Self.sectors(bytes.count) { range in
            let isLost = range.upperBound <= suspect.count && bytes[range].elementsEqual(suspect[range])
            return isLost ? before : bytes
        }
    }

    // MARK: - The loss

    /// Writes what a loss of power may leave behind.
    mutating func writeImage(to target: DiskFolder, _ generator: inout SeededGenerator) {
        // Journaling file systems keep the order of changes of names; POSIX promises none.
        let isOrdered = Bool.random(using: &generator)
        let kept = generator.pick(0, 0.5, 0.9, 1)
        for folder in self.root.tree {
            self.look(at: folder)
            guard let names = self.names[folder] else { continue }
            let image = DiskFolder(path: target.path + folder.path.dropFirst(self.root.path.count))
            image.make()
            var files = names.flushed
            var changes = names.changes
            if isOrdered { changes = Array(changes.prefix(Int.random(in: 0...changes.count, using: &generator))) }
            for change in changes where isOrdered || Bool.random(using: &generator) {
                switch change {
                case .name(let name, let inode):
                    files[name] = inode
                case .rename(let name, let other, let inode):
                    if files[name] == inode { files[name] = nil }
                    files[other] = inode
                }
            }
            let places = Dictionary(names.now.map { ($1, $0) }, uniquingKeysWith: min)
            for (name, inode) in files.sorted(by: { $0.key < $1.key }) {
                let safe = self.flushed[inode] ?? []
                let now = places[inode].map { folder.contents(of: $0) } ?? self.nameless[inode] ?? safe
                image.store(Self.torn(safe, now, keeping: kept, &generator), as: name)
            }
        }
    }

    /// A file of which some sectors are as flushed, and some newer; its length reaches the disk on its own.
    private static func torn(
        _ safe: [UInt8],
        _ now: [UInt8],
        keeping kept: Double,
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        guard safe != now else { return now }
        let between = Int.random(in: min(safe.count, now.count)...max(safe.count, now.count), using: &generator)
        let size = generator.pick(safe.count, now.count, between)
        return Self.sectors(size) { _ in generator.chance(kept) ? now : safe }
    }

    /// A file of which each sector has the bytes of the source that is chosen for it; zeros where that has none.
    private static func sectors(_ size: Int, from source: (Range<Int>) -> [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        while bytes.count < size {
            let range = bytes.count..<min(size, bytes.count + 512)
            let chosen = source(range)
            bytes += chosen[range.clamped(to: 0..<chosen.count)]
            bytes += [UInt8](repeating: 0, count: range.upperBound - bytes.count)
        }
        return bytes
    }
}
