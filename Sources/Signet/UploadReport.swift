//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a flush did not cover.
public struct UploadReport: Sendable, Hashable {
    /// Events that wait for the first user of their installation: nobody can be told of them yet, and they keep no upload
    /// waiting.
    public let eventsWithoutUser: Int
}
