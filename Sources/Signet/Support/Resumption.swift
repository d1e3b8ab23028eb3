//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A reader that is due to be resumed; kept apart so that no reader is resumed under a lock.
struct Resumption: Sendable {
    private let body: @Sendable () -> Void

    /// Keeps what to call.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Resumes the reader.
    ///
    /// Call it once, holding no lock.
    func resume() {
        self.body()
    }
}
