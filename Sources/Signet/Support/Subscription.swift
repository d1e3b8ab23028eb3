// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The unread elements of one subscriber: bounded, keeps the newest, counts the dropped ones.
package final class Subscription<Element: Sendable>: Sendable {
    /// The number of unread elements beyond which a subscriber loses the oldest.
    package static var capacity: Int { 1024 }

    private struct State {
        var elements: [Element] = []
        /// The index of the first unread element; the array is compacted after half of it was read.
        var head = 0
        var droppedCount = 0
        /// The readers that wait for the next element; nil at the end of the sequence.
        var waiters: [Int: CheckedContinuation<Element?, Never>]? = [:]
        var nextWaiter = 0
        /// True while readers get nothing: the elements wait for the next one.
        var isInterrupted = false

        mutating func pop() -> Element? {
            guard self.head < self.elements.count else { return nil }
            defer {
                self.head += 1
                if self.head * 2 > self.elements.count {
                    self.elements.removeFirst(self.head)
                    self.head = 0
                }
            }
            return self.elements[self.head]
        }
    }

    private let state = Locked(State())
    private let onEnd: @Sendable () -> Void

    /// Makes a subscription.
    ///
    /// - Parameter onEnd: Called when the last holder releases it.
    package init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        self.onEnd()
    }

    /// The number of elements dropped because the subscriber was too slow.
    package var droppedCount: Int {
        self.state.withLock { $0.droppedCount }
    }

    /// Buffers an element, or hands it to a waiting reader.
    ///
    /// - Parameter element: The next element.
    /// - Returns: The reader to resume once the caller holds no lock, if one was waiting.
    package func stage(_ element: Element) -> Resumption? {
        self.state.withLock { state in
            guard state.waiters != nil else { return nil }
            if let (id, waiter) = state.waiters?.min(by: { $0.key < $1.key }) {
                state.waiters?[id] = nil
                return Resumption { waiter.resume(returning: element) }
            }
            state.elements.append(element)
            if state.elements.count - state.head > Self.capacity {
                _ = state.pop()
                state.droppedCount += 1
            }
            return nil
        }
    }

    /// Ends the sequence after the buffered elements.
    package func finish() {
        let waiters = self.state.withLock { state in
            state.waiters.take() ?? [:]
        }
        for waiter in waiters.values { waiter.resume(returning: nil) }
    }

    /// True once a reader has seen the last element of a sequence that has ended.
    var hasEnded: Bool {
        self.state.withLock { $0.waiters == nil && $0.head == $0.elements.count }
    }

    /// Ends the loop of a reader after its current element; the elements that follow wait for ``resume()``.
    func interrupt() {
        let waiters = self.state.withLock { state -> [Int: CheckedContinuation<Element?, Never>] in
            state.isInterrupted = true
            defer { if state.waiters != nil { state.waiters = [:] } }
            return state.waiters ?? [:]
        }
        for waiter in waiters.values { waiter.resume(returning: nil) }
    }

    /// Lets a reader go on where ``interrupt()`` has ended its loop.
    func resume() {
        self.state.withLock { $0.isInterrupted = false }
    }

    /// Waits for the next element; nil at the end of the sequence, if it is interrupted, or if the task is cancelled.
    package func next() async -> Element? {
        let id = self.state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = self.state.withLock { state -> Element?? in
                    // Cancelled before it registered: the handler has run and found nothing to resume.
                    if Task.isCancelled || state.isInterrupted { return .some(nil) }
                    if let element = state.pop() { return .some(element) }
                    if state.waiters == nil { return .some(nil) }
                    state.waiters?[id] = continuation
                    return nil
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            self.state.withLock { $0.waiters?.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }
}
