//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// What the current user did last, to go with a crash report: 50 breadcrumbs, in memory only.
struct BreadcrumbTrail: Sendable {
    /// How many are kept (what the vendors' SDKs keep).
    static let limit = 50

    private var user: MPID?
    private var breadcrumbs: [Breadcrumb] = []

    /// Adds one; those of another user are forgotten.
    mutating func leave(_ label: String, at milliseconds: Int64, by user: MPID?) {
        if user != self.user { self.breadcrumbs = [] }
        self.user = user
        if self.breadcrumbs.count == Self.limit { self.breadcrumbs.removeFirst() }
        self.breadcrumbs.append(Breadcrumb(label: label, milliseconds: milliseconds))
    }

    /// Forgets those of a user.
    mutating func forget(_ user: MPID) {
        if user == self.user { (self.user, self.breadcrumbs) = (nil, []) }
    }

    /// Those of a user, oldest first.
    func breadcrumbs(of user: MPID?) -> [Breadcrumb] {
        user == self.user ? self.breadcrumbs : []
    }
}
