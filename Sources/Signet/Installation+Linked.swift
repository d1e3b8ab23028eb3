//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Installation {
    /// What became of work that other services were given by a login or logout, from now on.
    ///
    /// The result and the error of `login` and `logout` are those of the identity call alone.
    public func identitySyncOutcomes() -> Updates<IdentitySyncOutcome> {
        Updates(self.core.services.identitySyncOutcomes, of: self.id)
    }
}
