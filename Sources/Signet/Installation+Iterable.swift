//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Installation {
    /// A person Iterable may not know yet: unknown user activation.
    public var iterable: IterableVisitor {
        IterableVisitor(core: self.core)
    }

    /// Changes of the visitor, from now on.
    public func iterableChanges() -> Updates<IterableChange> {
        Updates(self.core.services.iterableChanges, of: self.id)
    }
}
