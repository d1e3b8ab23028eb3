//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A day of traffic: what the visitors of an app did, in order of time.
package struct Trace: Sendable {
    /// The name to show.
    package let file: String
    /// The workspace, as its first line describes it.
    package let header: TraceHeader
    /// What visitors do, in the order of its times.
    package let lines: [TraceLine]
}
