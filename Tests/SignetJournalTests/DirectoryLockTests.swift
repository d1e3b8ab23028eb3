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

struct DirectoryLockTests {
    private func codeOfSecondHolder(_ path: String) -> StorageError.Code? {
        do throws(StorageError) {
            try DirectoryLock(directory: path).close()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aSecondHolderInTheSameProcessIsRefused() throws {
        let folder = try TemporaryFolder()
        let lock = try DirectoryLock(directory: folder.path)
        #expect(self.codeOfSecondHolder(folder.path) == .locked)
        lock.close()
        #expect(self.codeOfSecondHolder(folder.path) == nil)
    }

    @Test func theLockIsFreeWhenItsHolderIsGone() throws {
        let folder = try TemporaryFolder()
        do {
            let lock = try DirectoryLock(directory: folder.path)
            #expect(self.codeOfSecondHolder(folder.path) == .locked)
            withExtendedLifetime(lock) {}
        }
        #expect(self.codeOfSecondHolder(folder.path) == nil)
    }

    @Test func aSecondProcessIsRefused() async throws {
        let folder = try TemporaryFolder()
        let lock = try DirectoryLock(directory: folder.path)
        await #expect(processExitsWith: .exitCode(42)) { [path = folder.path as String] in
            do throws(StorageError) {
                try DirectoryLock(directory: path).close()
                exit(0)
            } catch {
                exit(error.code == .locked ? 42 : 1)
            }
        }
        lock.close()
        await #expect(processExitsWith: .exitCode(0)) { [path = folder.path as String] in
            try DirectoryLock(directory: path).close()
        }
    }

    @Test func aKilledProcessLeavesNoLock() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let lock = try DirectoryLock(directory: path)
            kill(getpid(), SIGKILL)
            withExtendedLifetime(lock) {}
        }
        #expect(self.codeOfSecondHolder(folder.path) == nil)
    }

    @Test func theFolderIsMadeWithItsParentsForTheOwnerOnly() throws {
        let folder = try TemporaryFolder()
        let lock = try DirectoryLock(directory: folder.path(of: "a/b//c/"))
        #expect(try folder.mode(of: "a") == 0o700)
        #expect(try folder.mode(of: "a/b") == 0o700)
        #expect(try folder.mode(of: "a/b/c") == 0o700)
        #expect(try folder.mode(of: "a/b/c/lock") == 0o600)
        lock.close()
    }

    @Test func aRemovedLockFileDoesNotMakeTwoHolders() throws {
        let folder = try TemporaryFolder()
        let first = try DirectoryLock(directory: folder.path)
        try folder.remove("lock")
        // The holder of the removed file cannot be found any more; but two later ones must see each other.
        let second = try DirectoryLock(directory: folder.path)
        #expect(self.codeOfSecondHolder(folder.path) == .locked)
        first.close()
        #expect(self.codeOfSecondHolder(folder.path) == .locked)
        second.close()
    }

    @Test func aStateLogAndAJournalCanShareAFolderButNotWithTheirLike() throws {
        let folder = try TemporaryFolder()
        let lock = try DirectoryLock(directory: folder.path)
        let log = try StateLog(directory: folder.path)
        let journal = try Journal(directory: folder.path)
        #expect(try errorCode { _ = try StateLog(directory: folder.path) } == .locked)
        #expect(try errorCode { _ = try Journal(directory: folder.path) } == .locked)
        log.close()
        journal.close()
        lock.close()
        _ = try StateLog(directory: folder.path)
        _ = try Journal(directory: folder.path)
    }
}
