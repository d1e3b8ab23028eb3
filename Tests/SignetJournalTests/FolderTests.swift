// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

struct FolderTests {
    private func codeOfOpening(_ path: String) -> StorageError.Code? {
        var codes: Set<StorageError.Code?> = []
        do throws(StorageError) {
            try DirectoryLock(directory: path).close()
            codes.insert(nil)
        } catch {
            codes.insert(error.code)
        }
        do throws(StorageError) {
            try StateLog(directory: path).close()
            codes.insert(nil)
        } catch {
            codes.insert(error.code)
        }
        do throws(StorageError) {
            try Journal(directory: path).close()
            codes.insert(nil)
        } catch {
            codes.insert(error.code)
        }
        #expect(codes.count == 1, "the three disagree on \(path)")
        return codes.first ?? nil
    }

    @Test func aFolderThatIsALinkIsRefused() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path(of: "real"), 0o700)
        symlink("real", folder.path(of: "link"))
        #expect(self.codeOfOpening(folder.path(of: "link")) == .directoryUnusable)
        #expect(self.codeOfOpening(folder.path(of: "link/")) == .directoryUnusable)
        #expect(try folder.names() == ["link", "real"])
        #expect(self.codeOfOpening(folder.path(of: "real")) == nil)
    }

    @Test func aFolderBelowALinkIsFine() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path(of: "real"), 0o700)
        symlink("real", folder.path(of: "link"))
        #expect(self.codeOfOpening(folder.path(of: "link/below")) == nil)
    }

    @Test func aFileInThePlaceOfTheFolderIsRefused() throws {
        let folder = try TemporaryFolder()
        try folder.store([1], as: "file")
        #expect(self.codeOfOpening(folder.path(of: "file")) == .directoryUnusable)
        #expect(self.codeOfOpening(folder.path(of: "file/below")) == .directoryUnusable)
        #expect(self.codeOfOpening("/dev/null") == .directoryUnusable)
    }

    @Test func pathsThatAreNoneAreRefused() throws {
        let folder = try TemporaryFolder()
        #expect(self.codeOfOpening("") == .directoryUnusable)
        #expect(self.codeOfOpening(folder.path(of: "a\0b")) == .directoryUnusable)
        #expect(self.codeOfOpening(folder.path(of: String(repeating: "n", count: 300))) == .directoryUnusable)
        #expect(try folder.names().isEmpty)
    }

    @Test func aFolderThatEveryUserMayWriteToIsRefused() throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o777)
        #expect(self.codeOfOpening(folder.path) == .directoryUnusable)
        chmod(folder.path, 0o1777)
        #expect(self.codeOfOpening(folder.path) == .directoryUnusable)
        chmod(folder.path, 0o770)
        #expect(self.codeOfOpening(folder.path) == nil)
        #expect(try folder.mode() == 0o770)
    }

    @Test func namesOfOursThatAreNoFilesAreRefusedWithoutHanging() throws {
        for name in ["0000000000000001.log", "state.lock", "0000000000000001.snapshot"] {
            let folder = try TemporaryFolder()
            try folder.store([1, 2, 3], as: "target")
            symlink("target", folder.path(of: name))
            #expect(
                try errorCode { _ = try StateLog(directory: folder.path) } == .directoryUnusable,
                "\(name) as a link"
            )
            #expect(try folder.contents(of: "target") == [1, 2, 3])
            try folder.remove(name)
            mkfifo(folder.path(of: name), 0o600)
            #expect(
                try errorCode { _ = try StateLog(directory: folder.path) } == .directoryUnusable,
                "\(name) as a pipe"
            )
            try folder.remove(name)
            mkdir(folder.path(of: name), 0o700)
            #expect(
                try errorCode { _ = try StateLog(directory: folder.path) } == .directoryUnusable,
                "\(name) as a folder"
            )
            rmdir(folder.path(of: name))
            symlink("/dev/full", folder.path(of: name))
            #expect(
                try errorCode { _ = try StateLog(directory: folder.path) } == .directoryUnusable,
                "\(name) as a link to a device"
            )
        }
    }

    @Test func filesThatOthersMayReadAreClosedToThem() throws {
        let folder = try TemporaryFolder()
        try folder.store(FormatTests.logHeader + FormatTests.frames[0], as: "0000000000000001.log")
        chmod(folder.path(of: "0000000000000001.log"), 0o644)
        let log = try StateLog(directory: folder.path)
        #expect(try folder.mode(of: "0000000000000001.log") == 0o600)
        #expect(log.count == 1)
    }

    @Test func aFolderThatIsRemovedWhileInUseComesBackWithTheNextFlush() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path(of: "gone"))
        try log.put(bytes("v"), for: bytes("k"))
        for name in ["0000000000000001.log", "state.lock", "state.spare"] {
            try folder.remove("gone/\(name)")
        }
        rmdir(folder.path(of: "gone"))
        #expect(try errorCode { try log.compact() } == .directoryUnusable)
        #expect(try log.value(for: bytes("k")) == bytes("v"))
        try log.sync()
        log.close()
        #expect(try StateLog(directory: folder.path(of: "gone")).value(for: bytes("k")) == bytes("v"))
    }

    @Test func aFileThatIsRemovedWhileInUseComesBackWithTheNextFlush() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("v"), for: bytes("k"))
        try folder.remove("0000000000000001.log")
        try log.sync()
        log.close()
        #expect(try StateLog(directory: folder.path).value(for: bytes("k")) == bytes("v"))
    }

    @Test func foreignFilesAreLeftAlone() throws {
        let folder = try TemporaryFolder()
        let foreign = ["notes.txt", "1.log", "0000000000000001.LOG", "000000000000000G.log", "+00000000000001a.log"]
        for name in foreign {
            try folder.store(bytes("mine"), as: name)
        }
        let log = try StateLog(directory: folder.path)
        try log.put(bytes("v"), for: bytes("k"))
        try log.compact()
        for name in foreign {
            #expect(try folder.contents(of: name) == bytes("mine"))
        }
        #expect(log.recovery.setAsideFiles.isEmpty)
    }
}
