//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
/// Which requests of a connection are answered, and with which answer it ends (RFC 9112, 9.3 and 9.6).
///
/// A connection ends with the answer to the first request that says so or is older than HTTP/1.1, and with an answer that
/// says so itself. What a client sends after that request, or instead of waiting for the end, is nobody's.
struct ConnectionCourse: Sendable {
    private struct Exchange {
        /// Whether its answer is the last one.
        let isLast: Bool
        /// Whether it speaks a version that has no chunks.
        let isOld: Bool
    }

    /// How an answer is to be begun.
    struct Answer: Equatable {
        var announcesEnd: Bool
        var isOld: Bool
    }

    // Requests that were begun and not answered yet, the oldest first.
    private var open: [Exchange] = []
    private var isLastBegun = false
    private var isLastRead = false
    private var isLastAnswerBegun = false
    /// Whether the last answer is given.
    private(set) var isOver = false

    /// Whether what comes now is of no exchange.
    var ignoresInput: Bool {
        self.isOver || self.isLastRead
    }

    /// A request begins.
    mutating func begin(isLast: Bool, isOld: Bool) {
        self.open.append(Exchange(isLast: isLast || isOld, isOld: isOld))
        self.isLastBegun = isLast || isOld
    }

    /// A request is whole.
    mutating func end() {
        self.isLastRead = self.isLastBegun
    }

    /// An answer begins: to the oldest request, or to something that was none.
    mutating func beginAnswer(announcesEnd: Bool) -> Answer {
        let exchange = self.open.first
        self.isLastAnswerBegun = announcesEnd || exchange?.isLast ?? false
        return Answer(announcesEnd: self.isLastAnswerBegun, isOld: exchange?.isOld ?? false)
    }

    /// An answer is whole.
    mutating func endAnswer() {
        if !self.open.isEmpty { self.open.removeFirst() }
        self.isOver = self.isOver || self.isLastAnswerBegun
    }
}
#endif
