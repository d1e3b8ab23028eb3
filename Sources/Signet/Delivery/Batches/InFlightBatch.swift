// SPDX-License-Identifier: Apache-2.0

/// A batch in memory that has no answer yet.
struct InFlightBatch: Sendable {
    /// The cut that a batch was made by.
    struct Cut: Sendable {
        /// The events of the batch, with what they share.
        let plan: UploadStateMachine.BatchPlan
        /// The bytes of these events.
        let bytes: Int
    }

    /// The tries so far.
    private enum Tries {
        /// None, and nothing of the batch is on disk: its events can be cut again. The body is kept as in `none`.
        indirect case unwritten(Cut, body: (bytes: [UInt8], events: Int)?)
        /// None; the body is kept from the cut to the first try, unless an erasure changes it.
        case none(body: (bytes: [UInt8], events: Int)?)
        /// Sent by this process, or possibly by an earlier one; the body is read again for each further try.
        case some
    }

    /// The record of the batch on disk.
    let record: BatchRecord
    /// The uptime at which the facts of its user were read; nil if an earlier process has made it, or they are outdated.
    private(set) var madeAt: Duration?
    private var tries: Tries

    /// Makes a batch that was never sent.
    init(_ record: BatchRecord, body: (bytes: [UInt8], events: Int), at now: Duration) {
        (self.record, self.madeAt, self.tries) = (record, now, .none(body: body))
    }

    /// Makes a batch that may have been sent.
    init(repeating record: BatchRecord) {
        (self.record, self.tries) = (record, .some)
    }

    /// True if the batch was sent before by this process, or possibly by an earlier one.
    var isRepeated: Bool {
        if case .some = self.tries { true } else { false }
    }

    /// The cut to which its events can go back; nil if the batch is on disk, which fixes its bytes.
    var cut: Cut? {
        if case .unwritten(let cut, _) = self.tries { cut } else { nil }
    }

    /// Takes the body, which is not kept any longer; nil if it must be read.
    mutating func takeBody() -> (bytes: [UInt8], events: Int)? {
        switch self.tries {
        case .unwritten(let cut, let body):
            self.tries = .unwritten(cut, body: nil)
            return body
        case .none(let body):
            self.tries = .none(body: nil)
            return body
        case .some: return nil
        }
    }

    /// Returns the same batch, which is written down before its first try only.
    func unwritten(_ cut: Cut) -> InFlightBatch {
        guard case .none(let body) = self.tries else { return self }
        var other = self
        other.tries = .unwritten(cut, body: body)
        return other
    }

    /// Records that it was written down.
    mutating func written() {
        if case .unwritten(_, let body) = self.tries { self.tries = .none(body: body) }
    }

    /// Records that the facts of its user, or the choice, have changed since it was made.
    mutating func outdate() {
        self.madeAt = nil
    }

    /// Records that it was sent.
    mutating func sent() {
        self.tries = .some
    }

    /// Returns the same batch with another record, whose body must be read.
    func replacing(_ record: BatchRecord) -> InFlightBatch {
        var other = InFlightBatch(repeating: record)
        other.madeAt = self.madeAt
        switch self.tries {
        case .unwritten(let cut, _): other.tries = .unwritten(cut, body: nil)
        case .none: other.tries = .none(body: nil)
        case .some: break
        }
        return other
    }
}
