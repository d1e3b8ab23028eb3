// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Signet

import class FoundationEssentials.FileManager

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of a runtime's directory at one moment, held open: the runtime may remove their names, not their bytes.
struct DirectoryCapture: ~Copyable {
    /// The folders of a runtime.
    ///
    /// The journal is copied first: the state records where an event was logged, and its outcome, after the journal.
    static let parts = ["journal", "state"]
    // Names change when a file is full, far more slowly than files are opened.
    private static let attempts = 1000
    private static let chunk = 1 << 20

    private struct File {
        let path: String
        let descriptor: Int32
    }

    private let directory: String
    private let files: [File]

    /// Opens the files; tries again when names came or went meanwhile.
    ///
    /// - Throws: ``ToolFault`` for a directory that is not a runtime's, or cannot be read.
    init(_ directory: String) throws(ToolFault) {
        try DirectoryCopy.check(directory)
        for _ in 0..<Self.attempts {
            let names = try Self.names(directory)
            let files = try Self.open(names, in: directory)
            if files.count == names.count, try Self.names(directory) == names {
                self.directory = directory
                self.files = files
                return
            }
            Self.close(files)
        }
        throw ToolFault("\(directory): changed while it was opened; try again")
    }

    deinit {
        Self.close(self.files)
    }

    /// Copies the files to a new folder that only this user may read.
    func copy(
        to folder: String,
        until interruption: Interruption,
        _ progress: ProgressLine = ProgressLine(write: nil)
    ) throws(ToolFault) {
        for path in [folder] + Self.parts.map({ folder + "/" + $0 }) {
            guard mkdir(path, 0o700) == 0 else { throw Self.fault(path, "cannot be made") }
        }
        var copied = 0
        for (number, file) in self.files.enumerated() {
            try self.copy(file, to: folder + "/" + file.path, until: interruption) { count in
                copied += count
                progress.show { "copied \(copied >> 20) MiB, file \(number + 1) of \(self.files.count)" }
            }
        }
    }

    // Bytes appended from here on belong to a later moment.
    private func copy(
        _ file: File,
        to path: String,
        until interruption: Interruption,
        _ count: (Int) -> Void
    ) throws(ToolFault) {
        let copy = Self.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw Self.fault(path, "cannot be made") }
        defer { Self.close([File(path: path, descriptor: copy)]) }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw self.fault(file) }
        var left = Int(status.st_size)
        var bytes = [UInt8](repeating: 0, count: min(Self.chunk, left))
        while left > 0 {
            interruption.check()
            let wanted = min(left, bytes.count)
            let part = bytes.withUnsafeMutableBytes { read(file.descriptor, $0.baseAddress, wanted) }
            guard part >= 0 else { throw self.fault(file) }
            // The file was cut after its last frame.
            guard part > 0 else { return }
            let failure = bytes.withUnsafeBytes { Terminal.write($0[..<part], to: copy) }
            guard failure == 0 else { throw Self.fault(path, "cannot be written", failure) }
            left -= part
            count(part)
        }
    }

    private func fault(_ file: File) -> ToolFault {
        Self.fault(self.directory + "/" + file.path, "cannot be read")
    }

    private static func fault(_ path: String, _ what: String, _ number: Int32 = errno) -> ToolFault {
        ToolFault("\(path): \(what): \(String(cString: strerror(number)))")
    }

    /// All files except locks, reserved space, and incomplete files.
    private static func names(_ directory: String) throws(ToolFault) -> [String] {
        do {
            return try Self.parts.flatMap { part in
                try FileManager.default.contentsOfDirectory(atPath: directory + "/" + part).sorted()
                    .filter { name in !["lock", "spare", "tmp"].contains { name.hasSuffix($0) } }
                    .map { part + "/" + $0 }
            }
        } catch {
            throw ToolFault("\(directory): cannot be read: \(error)")
        }
    }

    /// Returns fewer files when one is gone.
    private static func open(_ names: [String], in directory: String) throws(ToolFault) -> [File] {
        var files: [File] = []
        for name in names {
            let descriptor = Self.open(directory + "/" + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else {
                let number = errno
                Self.close(files)
                if number == ENOENT { return [] }
                throw Self.fault(directory + "/" + name, "cannot be read", number)
            }
            files.append(File(path: name, descriptor: descriptor))
        }
        return files
    }

    private static func close(_ files: [File]) {
        for file in files {
            #if canImport(Glibc)
            _ = Glibc.close(file.descriptor)
            #elseif canImport(Musl)
            _ = Musl.close(file.descriptor)
            #else
            _ = Darwin.close(file.descriptor)
            #endif
        }
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        #if canImport(Glibc)
        Glibc.open(path, flags, mode)
        #elseif canImport(Musl)
        Musl.open(path, flags, mode)
        #else
        Darwin.open(path, flags, mode)
        #endif
    }
}

/// A copy of a runtime's directory, read in place of the directory itself.
enum DirectoryCopy {
    /// Runs a body with a survey of a copy, and removes the copy afterwards, also when a signal ends the process.
    ///
    /// After a signal that cannot be caught, the next command removes it.
    ///
    /// - Throws: ``ToolFault`` for a directory that is not a runtime's; the errors of the survey and the body.
    static func survey<Result>(
        _ directory: String,
        _ progress: ProgressLine = ProgressLine(write: nil),
        _ body: (DirectoryInspector) throws -> Result
    ) throws -> Result {
        ScratchFolder.tidy()
        let folder = ScratchFolder()
        defer { progress.end() }
        return try Interruption.guarding {
            progress.end()
            folder.leave()
        } _: { interruption in
            let capture = try DirectoryCapture(directory)
            let hold = try folder.make()
            do {
                try capture.copy(to: folder.files, until: interruption, progress)
                let result = try body(DirectoryInspector(copy: folder.files))
                try folder.remove()
                hold.end()
                return result
            } catch {
                folder.leave()
                throw error
            }
        }
    }

    /// Throws if a directory is not a runtime's.
    static func check(_ directory: String) throws(ToolFault) {
        for part in DirectoryCapture.parts where !FileManager.default.fileExists(atPath: directory + "/" + part) {
            throw ToolFault("\(directory) is not the directory of a runtime: \(part)/ is missing")
        }
    }
}
#endif
