// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetTestSupport
import Testing

/// A disk that writes down which bytes and names of a folder are flushed, and makes what a loss of power may leave.
final class PowerDisk: Sendable {
    private struct State: Sendable {
        /// The bytes of each file at its last flush.
        var flushed: [String: [UInt8]] = [:]
        /// The names at the last flush of the folder.
        var names: Set<String> = []
        /// The files that were removed since.
        var removed: [String: [UInt8]] = [:]
    }

    /// The bytes that are lost or kept together.
    private static let sector = 64
    /// The first bytes of a file, which are lost or kept apart from the others.
    private static let page = 128

    private let folder: TemporaryFolder
    private let state = Locked(State())

    init(_ folder: TemporaryFolder) {
        self.folder = folder
    }

    var disk: Disk {
        Disk(asking: { request in
            do {
                try self.note(request)
            } catch {
                Issue.record(error)
            }
            return nil
        })
    }

    private func note(_ request: Disk.Request) throws {
        switch request.call {
        case .sync:
            let content = try self.folder.contents(of: request.name)
            self.state.withLock { $0.flushed[request.name] = content }
        case .syncFolder:
            let names = Set(try self.folder.names())
            self.state.withLock { state in
                state.names = names
                state.removed = [:]
            }
        case .rename:
            guard let target = request.target else { return }
            self.state.withLock { $0.flushed[target] = $0.flushed.removeValue(forKey: request.name) }
        case .remove:
            guard try self.folder.names().contains(request.name) else { return }
            let content = try self.folder.contents(of: request.name)
            self.state.withLock { $0.removed[request.name] = content }
        default:
            return
        }
    }

    /// A folder as a loss of power may leave it: what came after a flush is there in part, in any order.
    ///
    /// - Parameters:
    ///   - preparing: True if files are prepared; then the first page of one can be as it was before it was begun.
    ///   - generator: Decides what is lost.
    /// - Returns: The folder.
    /// - Throws: An error when the folder cannot be read or copied.
    func image(preparing: Bool, _ generator: inout SeededGenerator) throws -> TemporaryFolder {
        let image = try TemporaryFolder()
        let state = self.state.withLock { $0 }
        let names = try self.folder.names().filter { !$0.hasSuffix(".spare") && !$0.hasSuffix(".lock") }
        for name in names {
            // A name that no flush covered can be missing.
            if !state.names.contains(name), Bool.random(using: &generator) { continue }
            var content = try self.folder.contents(of: name)
            let kept = Self.lose(&content, since: state.flushed[name] ?? [], &generator)
            if preparing, name.hasSuffix(".journal"), kept < FileHeader.size, Bool.random(using: &generator) {
                Self.loseFirstPage(&content)
            }
            try image.store(content, as: name)
        }
        // A name whose removal no flush covered can be back.
        for (name, old) in state.removed.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
            guard Bool.random(using: &generator) else { continue }
            var content = old
            _ = Self.lose(&content, since: state.flushed[name] ?? [], &generator)
            try image.store(content, as: name)
        }
        return image
    }

    /// Loses bytes that were written since a flush.
    ///
    /// - Returns: The number of bytes at the beginning that cannot be lost.
    private static func lose(
        _ content: inout [UInt8],
        since flushed: [UInt8],
        _ generator: inout SeededGenerator
    ) -> Int {
        // Nothing is lost before the first byte that was changed since the flush.
        let kept = zip(flushed, content).prefix { $0 == $1 }.count
        // The length and the sectors reach the disk on their own.
        if Bool.random(using: &generator) {
            content.removeLast(Int.random(in: 0...content.count - kept, using: &generator))
        }
        var sector = kept
        while sector < content.count {
            let end = min(content.count, (sector / Self.sector + 1) * Self.sector)
            if Int.random(in: 0..<3, using: &generator) == 0 {
                for offset in sector..<end { content[offset] = offset < flushed.count ? flushed[offset] : 0 }
            }
            sector = end
        }
        return kept
    }

    private static func loseFirstPage(_ content: inout [UInt8]) {
        guard content.count >= FileHeader.size,
            case .known(var header) = FileHeader.read(Array(content[..<FileHeader.size]))
        else { return }
        header.base = 0
        content.replaceSubrange(..<FileHeader.size, with: header.encoded)
        for offset in FileHeader.size..<max(FileHeader.size, min(content.count, Self.page)) { content[offset] = 0 }
    }
}
