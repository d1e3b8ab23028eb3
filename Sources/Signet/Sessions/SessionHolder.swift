//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Whoever has a session that can time out.
protocol SessionHolder: AnyObject, Sendable {
    /// Ends the session if its time is over.
    ///
    /// - Returns: When to ask again, as uptime; nil when there is no need.
    func timeOutSession() -> Duration?
}
