// SPDX-License-Identifier: Apache-2.0

/// Space that a store holds back, so that it can still record deletions on a full disk.
///
/// A deletion needs a little space too; without it, a full disk stays full.
struct SpareFile: Sendable {
    /// The length of the held space, in bytes: room for some thousand removals.
    static let size = 64 << 10

    private let folder: Folder
    private let name: String

    /// True while the space is held.
    private(set) var isHeld = false

    init(folder: Folder, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Takes the space, if the disk has it; further calls do nothing.
    mutating func hold() {
        guard !self.isHeld else { return }
        do throws(StorageError) {
            let file = try self.folder.ensureFile(self.name)
            if try file.status().size != UInt64(Self.size) {
                var bytes = FileHeader(kind: .spare, salt: 0, number: 0, base: 0).encoded
                bytes += [UInt8](repeating: 0, count: Self.size - bytes.count)
                do throws(StorageError) {
                    try file.write(bytes, at: 0)
                } catch {
                    self.folder.discard(self.name)
                    throw error
                }
            }
            self.isHeld = true
        } catch {
            // Only removals on a full disk depend on it, and those report the full disk themselves.
        }
    }

    /// Releases the space.
    ///
    /// - Returns: True if there was any.
    mutating func release() -> Bool {
        guard self.isHeld else { return false }
        self.isHeld = false
        do throws(StorageError) {
            try self.folder.remove(self.name)
            return true
        } catch {
            return false
        }
    }
}
