// SPDX-License-Identifier: Apache-2.0

/// A batch in memory that has no answer yet.
struct InFlightBatch: Sendable {
    /// The tries so far.
    private enum Tries {
        /// None; the body is kept from the cut to the first try, unless an erasure changes it.
        case none(body: (bytes: [UInt8], events: Int)?)
        /// Sent by this process, or possibly by an earlier one; the body is read again for each further try.
        case some
    }

    /// The record of the batch on disk.
    let record: BatchRecord
    /// The uptime at which the facts of its user were read; nil if an earlier process has made it.
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

    /// Takes the body, which is not kept any longer; nil if it must be read.
    mutating func takeBody() -> (bytes: [UInt8], events: Int)? {
        guard case .none(let body) = self.tries else { return nil }
        self.tries = .none(body: nil)
        return body
    }

    /// Records that it was sent.
    mutating func sent() {
        self.tries = .some
    }

    /// Returns the same batch with another record, whose body must be read.
    func replacing(_ record: BatchRecord) -> InFlightBatch {
        var other = InFlightBatch(repeating: record)
        other.madeAt = self.madeAt
        if !self.isRepeated { other.tries = .none(body: nil) }
        return other
    }
}
