//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Why a token is asked for.
public enum TokenReason: Sendable, Hashable, CaseIterable {
    /// There is none.
    case absent
    /// The time of the one there was is over, or nearly so.
    case expiring
    /// The service did not accept the one there was.
    case refused
}
