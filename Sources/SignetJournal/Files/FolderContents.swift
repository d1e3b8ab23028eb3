// SPDX-License-Identifier: Apache-2.0

/// The files of a store as a start finds them, before any change.
struct FolderContents: Sendable {
    /// Files with a sound header, in the order in which they are replayed.
    var files: [LogFile] = []

    /// The headers and lengths of a journal's files, which may be too many to keep open.
    var segments: [(header: FileHeader, size: UInt64)] = []

    /// The journal's files whose header is lost, and follows from their frames.
    private(set) var mended: [LostHeader] = []

    /// Names of files without a sound header, or whose header does not fit the name.
    var unreadable: [String] = []

    /// Names of files that a crash left unfinished or unused; none of their content was ever reported as written.
    var unfinished: [String] = []

    /// A number above those of all files, which no file ever had.
    var nextNumber: UInt64 = 1

    /// Reads the names and headers of the given kinds; changes nothing.
    ///
    /// - Throws: `newerFormat` or `olderFormat` for a file of another version, `directoryUnusable` for a name of the
    ///   store that is not a file.
    init(_ folder: Folder, kinds: [FileHeader.Kind]) throws(StorageError) {
        for text in try folder.names() {
            guard let name = FileName(text),
                let kind = kinds.first(where: { name.suffix == $0.suffix || name.suffix.hasPrefix($0.suffix + ".") })
            else { continue }
            self.nextNumber = max(self.nextNumber, name.number &+ 1)
            if name.suffix.hasSuffix("." + FileName.unfinished) {
                self.unfinished.append(text)
            } else if name.suffix == kind.suffix {
                try self.take(text, name, kind, in: folder)
            }
        }
        self.files.sort { $0.header.number < $1.header.number }
    }

    private mutating func take(
        _ text: String,
        _ name: FileName,
        _ kind: FileHeader.Kind,
        in folder: Folder
    ) throws(StorageError) {
        let file = try folder.openFile(text)
        let size = try file.status().size
        switch FileHeader.read(try file.bytes(at: 0, count: FileHeader.size)) {
        case .known(var header) where header.kind == kind && header.number == name.number:
            if kind == .journal {
                if header.base == 0 { header.base = try Self.base(of: file, header, size) }
                if header.base > 0 {
                    self.segments.append((header, size))
                } else {
                    // It was made for frames to come, and none came.
                    self.unfinished.append(text)
                }
            } else {
                self.files.append(LogFile(file: file, header: header, end: size))
            }
        case .other(let version):
            throw StorageError.otherFormat(file.path, version: version, of: kind)
        case .unreadable where kind == .journal:
            let start = UInt64(FileHeader.size)
            let bytes = try file.bytes(at: start, count: Int(clamping: size - min(size, start)))
            guard let lost = LostHeader(bytes, number: name.number) else {
                self.unreadable.append(text)
                return
            }
            self.segments.append((lost.header, size))
            self.mended.append(lost)
        case .known, .unreadable:
            self.unreadable.append(text)
        }
    }

    /// Returns the base that follows from the frames of a file; 0 if it has none.
    private static func base(of file: OpenFile, _ header: FileHeader, _ size: UInt64) throws(StorageError) -> UInt64 {
        let start = UInt64(FileHeader.size)
        let bytes = try file.bytes(at: start, count: Int(clamping: size - min(size, start)))
        return UnbegunSegment.base(bytes, salt: header.salt) ?? 0
    }

    /// Removes unfinished files, writes lost headers again, and renames unreadable files so that they are left alone.
    ///
    /// - Returns: The new names.
    func tidy(_ folder: Folder) throws(StorageError) -> [String] {
        for name in self.unfinished {
            try folder.remove(name)
        }
        for lost in self.mended {
            let file = try folder.openFile(FileName(number: lost.header.number, suffix: lost.header.kind.suffix).text)
            try file.write(lost.header.encoded, at: 0)
            try file.sync()
        }
        var taken = Set(self.unreadable.isEmpty ? [] : try folder.names())
        var renamed: [String] = []
        for name in self.unreadable {
            var target = "\(name).\(FileHeader.Kind.aside.suffix)"
            while !taken.insert(target).inserted {
                target += "+"
            }
            try folder.rename(name, to: target)
            renamed.append(target)
        }
        if !self.unfinished.isEmpty || !renamed.isEmpty { try folder.sync() }
        return renamed
    }
}
