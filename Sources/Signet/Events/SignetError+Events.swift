//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension SignetError {
    static let eventOptOut = SignetError(
        .optedOut,
        "The installation has opted out; events are not accepted. Opt in again before logging."
    )
}
