// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Synchronization

/// Appends events to the journal and, if configured, buffers those in memory that the disk refuses.
///
/// Buffered events go into the journal, in order, as soon as the disk accepts them again. They are lost if the process
/// dies, which the app has accepted by its configuration.
final class OverflowBuffer: Sendable {
    private struct Event: Sendable {
        let stamp: [UInt8]
        let payload: [UInt8]
    }

    private struct State {
        /// The events in memory, oldest first; nil once the buffer is closed.
        var events: Deque<Event>? = Deque()
        var bytes = 0
    }

    private let journal: Journal
    /// The most bytes in memory; nil disables the buffer.
    private let limit: Int?
    private let state = Locked(State())
    private let held = Atomic<Int>(0)

    init(journal: Journal, limit: Int?) {
        self.journal = journal
        self.limit = limit
    }

    /// The number of events in memory.
    var count: Int {
        self.held.load(ordering: .relaxed)
    }

    /// Appends an event to the journal or, if that fails and the buffer is enabled, to memory.
    ///
    /// Calls for one installation come one after the other. Events that follow a buffered one are buffered too, to keep
    /// their order.
    ///
    /// - Parameters:
    ///   - stamp: The bytes beside the JSON.
    ///   - head: The beginning of the JSON.
    ///   - rest: The rest of the JSON.
    /// - Returns: The number of the event in the journal; 0 for a buffered one.
    /// - Throws: The error of the disk, also if there is no more room in memory.
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
                // Emptied meanwhile, or full: the disk may work again.
                let isEmpty = state.events?.isEmpty ?? true
                if state.events == nil || failure == nil && isEmpty || state.bytes + size > limit {
                    try self.empty(&state)
                    return .success(try self.journal.append(stamp: stamp, payload: head, rest))
                }
            } catch {
                guard error.isOfDisk, state.events != nil, state.bytes + size <= limit else { return .failure(error) }
            }
            state.events?.append(Event(stamp: Array(stamp), payload: Array(head) + Array(rest)))
            state.bytes += size
            self.held.add(1, ordering: .relaxed)
            return .success(0)
        }
        return try result.get()
    }

    /// Moves the buffered events into the journal.
    ///
    /// - Throws: The error of the disk; events that it did not accept stay in memory.
    func drain() throws(StorageError) {
        guard self.count > 0 else { return }
        try self.state.withLock { state throws(StorageError) in try self.empty(&state) }
    }

    /// Empties and closes the buffer.
    ///
    /// - Returns: The number of events that the disk did not accept until the end.
    func close() -> Int {
        self.state.withLock { state in
            state.events = nil
            state.bytes = 0
            return self.held.exchange(0, ordering: .relaxed)
        }
    }

    private func empty(_ state: inout State) throws(StorageError) {
        while let event = state.events?.first {
            _ = try self.journal.append(stamp: event.stamp, payload: event.payload)
            _ = state.events?.popFirst()
            state.bytes -= event.stamp.count + event.payload.count
            self.held.subtract(1, ordering: .relaxed)
        }
    }
}

extension StorageError {
    /// True if the disk refused data that it may accept later.
    fileprivate var isOfDisk: Bool {
        self.code == .diskFull || self.code == .diskFailed || self.code == .directoryUnusable
    }
}
