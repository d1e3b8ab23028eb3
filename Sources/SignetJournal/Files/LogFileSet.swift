// SPDX-License-Identifier: Apache-2.0

/// The files of one log: sealed ones, and one that takes frames.
struct LogFileSet: Sendable {
    private let kind: FileHeader.Kind
    private let store: StoreFolder
    /// The number of the next file; those of all files so far are lower.
    private(set) var nextNumber: UInt64

    /// The files by slot; a slot is free when it is nil.
    private(set) var slots: [LogFile?] = []

    /// The slot of the file that takes frames.
    private var active: Int?

    /// The slot of a file that takes no frames while it is copied, and will again unless another one begins.
    private var resting: Int?

    /// Space for removals on a full disk.
    private var spare: SpareFile

    /// The frames of one write; kept to save an allocation.
    private var buffer: [UInt8] = []

    init(kind: FileHeader.Kind, store: StoreFolder, nextNumber: UInt64) {
        self.kind = kind
        self.store = store
        self.nextNumber = nextNumber
        self.spare = store.makeSpare()
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

    /// Changes what is known of a file.
    mutating func update(_ slot: Int, _ file: LogFile) {
        self.slots[slot] = file
    }

    /// Removes a file; readers that hold it can continue.
    mutating func remove(_ slot: Int) {
        self.slots[slot] = nil
        if self.active == slot { self.active = nil }
        if self.resting == slot { self.resting = nil }
    }

    /// Releases all files.
    mutating func removeAll() {
        self.slots = []
        self.active = nil
        self.resting = nil
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
        self.resting = nil
    }

    /// Adapts to a new folder that contains none of the files; all of them are open, and are written to it.
    mutating func leaveFolder() {
        self.seal()
        for slot in self.used { self.slots[slot]?.leaveFolder() }
        self.spare = self.store.makeSpare()
        self.spare.hold()
    }

    /// Tries to hold the space for removals; it writes a file, so only a start calls it.
    mutating func holdSpare() {
        self.spare.hold()
    }

    /// The space for removals, if it is to be held again.
    var missingSpare: SpareFile? { self.spare.isHeld ? nil : self.spare }

    /// Notes that the space for removals is held again.
    mutating func hold(_ spare: SpareFile) {
        self.spare = spare
    }

    /// Takes the next number for a file made elsewhere.
    mutating func takeNumber() -> UInt64 {
        defer { self.nextNumber += 1 }
        return self.nextNumber
    }

    /// Returns the header of a new file that takes frames.
    mutating func takeHeader(base: UInt64) -> FileHeader {
        FileHeader(kind: self.kind, salt: .random(in: 1 ... .max), number: self.takeNumber(), base: base)
    }

    /// Makes a new file the one that takes frames.
    ///
    /// - Returns: Its slot.
    @discardableResult
    mutating func begin(_ file: LogFile) -> Int {
        let slot = self.insert(file)
        self.active = slot
        self.resting = nil
        return slot
    }

    /// Appends frames in one write, to a new file when the last is full or unusable.
    ///
    /// `sync`, not this call, flushes a new file's name: a flush takes milliseconds, this runs under the log's lock,
    /// and `written` promises nothing about power loss.
    ///
    /// - Parameters:
    ///   - count: The number of frames.
    ///   - base: The next sequence.
    ///   - limit: The length at which a file is full, in bytes.
    ///   - isRemoval: True if the frames let bytes go; they may use the spare space on a full disk.
    ///   - encode: Appends the frames to a buffer, with the salt of the file they go to.
    /// - Returns: The slot of the file, and the offset of the first frame.
    /// - Throws: The disk's error; then none of the frames counts.
    mutating func append(
        frames count: Int,
        base: UInt64,
        limit: UInt64 = .max,
        isRemoval: Bool = false,
        _ encode: (_ salt: UInt32, _ buffer: inout [UInt8]) -> Void
    ) throws(StorageError) -> (slot: Int, offset: UInt64) {
        do throws(StorageError) {
            return try self.write(count, base, limit, encode)
        } catch {
            guard isRemoval, error.code == .diskFull, self.spare.release() else { throw error }
            return try self.write(count, base, limit, encode)
        }
    }

    private mutating func write(
        _ count: Int,
        _ base: UInt64,
        _ limit: UInt64,
        _ encode: (UInt32, inout [UInt8]) -> Void
    ) throws(StorageError) -> (slot: Int, offset: UInt64) {
        let (slot, salt) = try self.writable(limit: limit, base: base)
        defer { self.emptyBuffer() }
        encode(salt, &self.buffer)
        guard let offset = try self.slots[slot]?.append(self.buffer, frames: count) else {
            throw StorageError.closed(self.store.folder.path)
        }
        return (slot, offset)
    }

    private mutating func emptyBuffer() {
        if self.buffer.capacity > 1 << 20 {
            self.buffer = []
        } else {
            self.buffer.removeAll(keepingCapacity: true)
        }
    }

    /// Returns the file for the next frames.
    ///
    /// - Returns: The slot and the salt to encode with.
    /// - Throws: An error when there is no usable file and none can be made.
    private mutating func writable(limit: UInt64, base: UInt64) throws(StorageError) -> (slot: Int, salt: UInt32) {
        if let active = self.active {
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
        let header = self.takeHeader(base: base)
        do throws(StorageError) {
            var file = try LogFile.create(in: self.store.folder, header)
            try file.finish(in: self.store.folder)
            return (self.begin(file), header.salt)
        } catch {
            // A full file can grow further when no new one can be made (disk full, too many open files).
            guard let full else { throw error }
            return full
        }
    }

    /// The work of a flush now.
    var flushPlan: FlushPlan {
        var plan = FlushPlan()
        for case let file? in self.slots { plan.add(file.state, file.file) }
        return plan
    }

    /// Applies the result of a flush; files that it could not flush are suspect from here on.
    mutating func finish(_ outcome: FlushPlan.Outcome) {
        for slot in self.used { self.slots[slot]?.finish(outcome) }
    }
}

// MARK: - Replacing

extension LogFileSet {
    /// Returns a file whose flush failed, which takes no frames until it was copied.
    mutating func restSuspect() -> LogFile? {
        guard let slot = self.used.first(where: { self.slots[$0]?.state.isSuspect == true }) else { return nil }
        if self.active == slot {
            self.active = nil
            self.resting = slot
        }
        return self.slots[slot]
    }

    /// Lets a file take frames again, unless another one does by now.
    mutating func wake(_ number: UInt64) {
        guard let slot = self.resting, self.slots[slot]?.header.number == number else { return }
        self.resting = nil
        self.active = slot
    }

    /// Continues in the copy of a file, unless the file was removed meanwhile.
    mutating func adopt(_ copy: OpenFile, of number: UInt64) {
        if let slot = self.slot(of: number) { self.slots[slot]?.adoptCopy(copy) }
        self.wake(number)
    }

    /// Marks that the name of a copy survives a power loss too.
    ///
    /// - Parameters:
    ///   - number: The number of the file.
    ///   - end: The end of the copy.
    mutating func finishCopy(of number: UInt64, _ end: UInt64) {
        if let slot = self.slot(of: number) { self.slots[slot]?.finishCopy(upTo: end) }
    }

    private func slot(of number: UInt64) -> Int? {
        self.slots.firstIndex { $0?.header.number == number }
    }
}

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
