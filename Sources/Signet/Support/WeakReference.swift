//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal

/// A reference to what owns the holder, so that the two do not keep one another alive.
final class WeakReference<Target: AnyObject & Sendable>: Sendable {
    private struct State {
        weak var target: Target?
    }

    private let state = Locked(State())

    /// What it refers to, while that lives.
    var target: Target? {
        self.state.withLock { $0.target }
    }

    /// Sets what it refers to; once, while the two are being made.
    func set(_ target: Target) {
        self.state.withLock { $0.target = target }
    }
}
