//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// The reason that a token is requested.
public enum TokenReason: Sendable, Hashable, CaseIterable {
    /// There is no token.
    case absent
    /// The previous token has expired, or soon will.
    case expiring
    /// The service refused the previous token.
    case refused
}
