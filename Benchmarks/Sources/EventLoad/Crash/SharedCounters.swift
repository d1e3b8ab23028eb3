// SPDX-License-Identifier: Apache-2.0

import CFloors
import Glibc

/// A number for each producer, in a file that two processes have mapped: what was stored survives the death of who stored.
struct SharedCounters: @unchecked Sendable {
    // Proof: each word is stored by one producer only, with atomic stores, and loaded with atomic loads.
    private let words: UnsafeMutablePointer<UInt64>
    private let count: Int

    /// Words from one producer to the next: a cache line.
    private static let stride = 8

    /// Maps a file; makes it when it is not there.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - count: How many numbers it has.
    /// - Throws: What a system call says.
    init(path: String, count: Int) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LoadError(system: "open \(path)") }
        defer { close(file) }
        let size = count * Self.stride * 8
        guard ftruncate(file, off_t(size)) == 0 else { throw LoadError(system: "ftruncate") }
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let address, address != MAP_FAILED else { throw LoadError(system: "mmap") }
        self.words = address.bindMemory(to: UInt64.self, capacity: count * Self.stride)
        self.count = count
    }

    subscript(index: Int) -> Int {
        get { Int(floors_load(self.words + index * Self.stride)) }
        nonmutating set { floors_store(self.words + index * Self.stride, UInt64(newValue)) }
    }

    /// All numbers as of now.
    var values: [Int] {
        (0..<self.count).map { self[$0] }
    }

    /// Lets the file go; nothing may be stored or loaded any more.
    func unmap() {
        munmap(self.words, self.count * Self.stride * 8)
    }
}
