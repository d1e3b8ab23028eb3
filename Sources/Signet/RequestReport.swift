//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One request, as an observer is told of it.
public struct RequestReport: Sendable {
    /// The endpoint, such as `login` or `events`.
    public let endpoint: String
    /// The status of the answer; nil when there was none.
    public let status: Int?
    /// Why it failed; nil when it succeeded.
    public let failure: SignetError.Code?
    /// From sending to the end of the answer.
    public let duration: Duration
}
