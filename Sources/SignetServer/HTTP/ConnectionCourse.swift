// SPDX-License-Identifier: Apache-2.0

#if Tool
/// Tracks the requests of a connection that are answered, and its last answer (RFC 9112, 9.3 and 9.6).
///
/// A connection ends with the answer to the first request that asks for it or is older than HTTP/1.1, or with an answer
/// that announces it. Input after that request or after the last answer is ignored.
struct ConnectionCourse: Sendable {
    private struct Exchange {
        /// True if its answer is the last one.
        let isLast: Bool
        /// True for an HTTP version without chunks.
        let isOld: Bool
    }

    /// The form of the head of an answer.
    struct Answer: Equatable {
        var announcesEnd: Bool
        var isOld: Bool
    }

    // Requests that began and are not answered yet, oldest first.
    private var open: [Exchange] = []
    private var isLastBegun = false
    private var isLastRead = false
    private var isLastAnswerBegun = false
    /// True after the last answer.
    private(set) var isOver = false

    /// True when further input belongs to no exchange.
    var ignoresInput: Bool {
        self.isOver || self.isLastRead
    }

    /// Records the beginning of a request.
    mutating func begin(isLast: Bool, isOld: Bool) {
        self.open.append(Exchange(isLast: isLast || isOld, isOld: isOld))
        self.isLastBegun = isLast || isOld
    }

    /// Records the end of a request.
    mutating func end() {
        self.isLastRead = self.isLastBegun
    }

    /// Records the beginning of an answer: to the oldest request, or to invalid input.
    mutating func beginAnswer(announcesEnd: Bool) -> Answer {
        let exchange = self.open.first
        self.isLastAnswerBegun = announcesEnd || exchange?.isLast ?? false
        return Answer(announcesEnd: self.isLastAnswerBegun, isOld: exchange?.isOld ?? false)
    }

    /// Records the end of an answer.
    mutating func endAnswer() {
        if !self.open.isEmpty { self.open.removeFirst() }
        self.isOver = self.isOver || self.isLastAnswerBegun
    }
}
#endif
