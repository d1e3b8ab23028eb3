//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a shutdown left behind.
public struct ShutdownReport: Sendable, Hashable {
    /// Events that stay on disk for the next start.
    public let eventsLeft: Int
    /// Whether everything that could be sent was sent before the time was over.
    public let isComplete: Bool
}
