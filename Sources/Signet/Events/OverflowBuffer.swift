//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetLock
import Synchronization

/// The way into the journal, and, where the configuration asks for it, a place in memory for events that the disk refuses.
///
/// What is in memory goes into the journal as soon as the disk takes it again, in order. The death of the process costs it:
/// that is what was asked for by name.
final class OverflowBuffer: Sendable {
    private struct Event: Sendable {
        let stamp: [UInt8]
        let payload: [UInt8]
    }

    private struct State {
        var events = Deque<Event>()
        var bytes = 0
        var isClosed = false
    }

    private let journal: Journal
    /// The most bytes in memory; nil keeps nothing there.
    private let limit: Int?
    private let state = Locked(State())
    private let held = Atomic<Int>(0)

    /// Makes the way.
    init(journal: Journal, limit: Int?) {
        self.journal = journal
        self.limit = limit
    }

    /// How many events are in memory.
    var count: Int {
        self.held.load(ordering: .relaxed)
    }

    /// Takes an event: into the journal, or, when that fails and it was asked for, into memory.
    ///
    /// Calls for one installation come one after the other: those that follow one in memory go there too, so that their
    /// order stays.
    ///
    /// - Parameters:
    ///   - stamp: The bytes beside the JSON.
    ///   - head: The beginning of the JSON.
    ///   - rest: The rest of it.
    /// - Returns: Its number in the journal; 0 for one in memory.
    /// - Throws: What the disk says, also when there is no more room in memory.
    func append(
        stamp: UnsafeRawBufferPointer,
        _ head: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) -> UInt64 {
        guard let limit = self.limit else { return try self.journal.append(stamp: stamp, payload: head, rest) }
        var failure: StorageError?
        if self.count == 0 {
            do throws(StorageError) {
                return try self.journal.append(stamp: stamp, payload: head, rest)
            } catch {
                guard error.isOfDisk else { throw error }
                failure = error
            }
        }
        let size = stamp.count + head.count + rest.count
        let result = self.state.withLock { state -> Result<UInt64, StorageError> in
            do throws(StorageError) {
                // Emptied meanwhile, or full: the disk may be well again.
                if state.isClosed || failure == nil && state.events.isEmpty || state.bytes + size > limit {
                    try self.empty(&state)
                    return .success(try self.journal.append(stamp: stamp, payload: head, rest))
                }
            } catch {
                guard error.isOfDisk, !state.isClosed, state.bytes + size <= limit else { return .failure(error) }
            }
            state.events.append(Event(stamp: Array(stamp), payload: Array(head) + Array(rest)))
            state.bytes += size
            self.held.add(1, ordering: .relaxed)
            return .success(0)
        }
        return try result.get()
    }

    /// Moves what is in memory into the journal.
    ///
    /// - Throws: What the disk says; what it did not take stays in memory.
    func drain() throws(StorageError) {
        guard self.count > 0 else { return }
        try self.state.withLock { state throws(StorageError) in try self.empty(&state) }
    }

    /// Keeps nothing any more.
    ///
    /// - Returns: How many events the disk did not take until the end.
    func close() -> Int {
        self.state.withLock { state in
            state.isClosed = true
            state.events = Deque()
            state.bytes = 0
            return self.held.exchange(0, ordering: .relaxed)
        }
    }

    private func empty(_ state: inout State) throws(StorageError) {
        while let event = state.events.first {
            _ = try self.journal.append(stamp: event.stamp, payload: event.payload)
            _ = state.events.popFirst()
            state.bytes -= event.stamp.count + event.payload.count
            self.held.subtract(1, ordering: .relaxed)
        }
    }
}

extension StorageError {
    /// Whether the disk did not take something that it may take later.
    fileprivate var isOfDisk: Bool {
        self.code == .diskFull || self.code == .diskFailed || self.code == .directoryUnusable
    }
}
