// SPDX-License-Identifier: Apache-2.0

/// The files of one log: sealed ones, and one that takes frames.
struct LogFileSet: Sendable {
    let kind: FileHeader.Kind

    private(set) var nextNumber: UInt64

    /// The files by slot; a slot is free when it is nil.
    var slots: [LogFile?] = []

    /// The slot of the file that takes frames.
    private(set) var active: Int?

    var namesMade = 0

    /// The number of names that a flush of the folder covered.
    var namesFlushed = 0

    let folder: Folder

    init(kind: FileHeader.Kind, folder: Folder, nextNumber: UInt64) {
        self.kind = kind
        self.folder = folder
        self.nextNumber = nextNumber
    }

    /// The bytes of all files.
    var bytes: UInt64 {
        self.slots.reduce(0) { $0 + ($1?.end ?? 0) }
    }

    var used: [Int] {
        self.slots.indices.filter { self.slots[$0] != nil }
    }

    /// Adds a file.
    ///
    /// - Returns: Its slot.
    mutating func insert(_ file: LogFile) -> Int {
        if let free = self.slots.firstIndex(where: { $0 == nil }) {
            self.slots[free] = file
            return free
        }
        self.slots.append(file)
        return self.slots.count - 1
    }

    /// Removes a file; readers that hold it can continue.
    mutating func remove(_ slot: Int) {
        self.slots[slot] = nil
        if self.active == slot { self.active = nil }
    }

    /// Makes a file the one that takes frames.
    mutating func activate(_ slot: Int) {
        self.active = slot
    }

    /// Closes the active file; the next append makes a new one.
    mutating func seal() {
        if let active = self.active {
            do throws(StorageError) {
                try self.slots[active]?.cutLeftovers()
            } catch {
                // The bytes of a failed append stay after the end; nothing reads them before the next start.
            }
        }
        self.active = nil
    }

    /// Takes the next number for a file made elsewhere.
    mutating func takeNumber() -> UInt64 {
        defer { self.nextNumber += 1 }
        return self.nextNumber
    }

    /// Returns the file for the next frames; a new one when the last is full or unusable.
    ///
    /// `sync`, not this call, flushes a new file's name: a flush takes milliseconds, this runs under the log's lock,
    /// and `written` promises nothing about power loss.
    ///
    /// - Parameters:
    ///   - limit: The length at which a file is full, in bytes.
    ///   - base: The next sequence.
    /// - Returns: The slot and the salt to encode with.
    /// - Throws: An error when there is no usable file and none can be made.
    mutating func writable(limit: UInt64, base: UInt64) throws(StorageError) -> (slot: Int, salt: UInt32) {
        if let active = self.active, self.slots[active]?.hasLeftovers == true {
            do throws(StorageError) {
                try self.slots[active]?.cutLeftovers()
            } catch {
                // The rest of a failed append cannot be cut off, so the file stays as it is, and a new one follows.
                self.active = nil
            }
        }
        var full: (slot: Int, salt: UInt32)?
        if let active = self.active, let salt = self.slots[active]?.header.salt, let end = self.slots[active]?.end {
            if end < limit { return (active, salt) }
            full = (active, salt)
        }
        let header = FileHeader(
            kind: self.kind,
            salt: .random(in: 1 ... .max),
            number: self.takeNumber(),
            base: base
        )
        do throws(StorageError) {
            var file = try LogFile.create(in: self.folder, header)
            try file.finish(in: self.folder)
            self.namesMade += 1
            let slot = self.insert(file)
            self.active = slot
            return (slot, header.salt)
        } catch {
            // A full file can grow further when no new one can be made (disk full, too many open files).
            guard let full else { throw error }
            return full
        }
    }

    /// Appends frames to the file that `writable` returned.
    mutating func append(_ bytes: [UInt8], frames: Int, to slot: Int) throws(StorageError) -> UInt64 {
        guard let offset = try self.slots[slot]?.append(bytes, frames: frames) else {
            throw StorageError.closed(self.folder.path)
        }
        return offset
    }
}
