// SPDX-License-Identifier: Apache-2.0

import CFloors
import Glibc
import Signet

/// What the machine can do at most in this run, with nothing of Signet: the parts that accepting an event cannot leave out.
struct Floors: Sendable {
    /// Bytes of the JSON of one event.
    let size: Int
    /// Making the value that `log` gets, which the app does and not the runtime.
    let building: Cost
    /// ``HandEncoder`` alone.
    let encoding: Cost
    /// `memcpy` of the JSON to 64 MiB, round and round.
    let copying: Cost
    /// CRC-32C of the JSON.
    let checksum: Cost
    /// `write(2)` of the same bytes, 64 KiB at a time, to a new file.
    let writing: Cost
    /// `pread(2)` of the JSON from scattered places of that file, which is in the page cache.
    let reading: Cost
    /// One `fdatasync(2)` after 64 KiB were written over in a file that has its blocks; seconds, the median of 15.
    let syncing: Double

    /// Measures all of them, one after the other, on one thread.
    ///
    /// - Parameters:
    ///   - events: Of how many events the mean is taken.
    ///   - workspace: Where the file is written.
    /// - Returns: All floors.
    /// - Throws: What a system call or the runtime says.
    static func measure(_ events: Int, in workspace: Workspace) throws -> Floors {
        let count = min(max(events, 20_000), 500_000)
        let ring = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 20, alignment: 4096)
        defer { ring.deallocate() }
        ring.initializeMemory(as: UInt8.self, repeating: 1)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 64)
        defer { buffer.deallocate() }

        let building = Cost.of(count) {
            for number in 0..<count { Self.consume(SampleEvent.make(producer: 3, number: number)) }
        }
        var encoder = HandEncoder(into: buffer)
        var size = 0
        let encoding = Cost.of(count) {
            for number in 0..<count {
                size = encoder.encode(producer: 3, number: number, milliseconds: 1_763_700_000_000 + Int64(number))
            }
        }
        let copying = Cost.of(count) {
            var place = 0
            for _ in 0..<count {
                if place + size > ring.count { place = 0 }
                floors_copy(ring.baseAddress.map { $0 + place }, buffer.baseAddress, size)
                place += size
            }
        }
        let event = UnsafeRawBufferPointer(rebasing: buffer[..<size])
        var sum: UInt32 = 0
        let checksum = Cost.of(count) {
            for _ in 0..<count { sum &+= CRC32C.of(event) }
        }
        Self.consume(sum)
        let path = workspace.fresh("floor")
        defer { unlink(path) }
        let file = try FileBytes.create(path)
        defer { close(file) }
        let writing = try Cost.of(count) {
            var rest = count * size
            while rest > 0 {
                let block = UnsafeRawBufferPointer(rebasing: ring[..<min(rest, 64 << 10)])
                try FileBytes.write(block, to: file)
                rest -= block.count
            }
        }
        let reading = try Self.reading(file, count * size, event.count, ring)
        return Floors(
            size: size,
            building: building,
            encoding: encoding,
            copying: copying,
            checksum: checksum,
            writing: writing,
            reading: reading,
            syncing: try Self.syncing(file, UnsafeRawBufferPointer(rebasing: ring[..<(64 << 10)]))
        )
    }

    private static func reading(
        _ file: CInt,
        _ length: Int,
        _ size: Int,
        _ target: UnsafeMutableRawBufferPointer
    ) throws -> Cost {
        let count = 100_000
        return try Cost.of(count) {
            for number in 0..<count {
                // A prime step: neighbours in time are far apart in the file, as the events of one installation are.
                let place = number * 450_001 % max(1, length - size)
                guard pread(file, target.baseAddress, size, place) == size else { throw LoadError(system: "pread") }
            }
        }
    }

    private static func syncing(_ file: CInt, _ block: UnsafeRawBufferPointer) throws -> Double {
        guard fdatasync(file) == 0 else { throw LoadError(system: "fdatasync") }
        var times: [UInt64] = []
        for _ in 0..<15 {
            guard pwrite(file, block.baseAddress, block.count, 0) == block.count else {
                throw LoadError(system: "pwrite")
            }
            let began = Nanoseconds.now
            guard fdatasync(file) == 0 else { throw LoadError(system: "fdatasync") }
            times.append(Nanoseconds.now - began)
        }
        return Double(times.sorted()[times.count / 2]) / 1e9
    }

    @inline(never)
    private static func consume<Value>(_ value: Value) {
        withExtendedLifetime(value) {}
    }
}
