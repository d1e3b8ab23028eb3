//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

@testable import Signet

@Suite struct BreadcrumbTrailTests {
    @Test func theLastFiftyOfAUserAreKept() throws {
        let user = IdentityFixture.mpid(1)
        var trail = BreadcrumbTrail()
        for number in 0..<60 { trail.leave("\(number)", at: Int64(number), by: user) }
        #expect(trail.breadcrumbs(of: user).map(\.label) == (10..<60).map { "\($0)" })
        #expect(trail.breadcrumbs(of: nil).isEmpty)
    }

    @Test func anotherUserBeginsWithNone() throws {
        var trail = BreadcrumbTrail()
        trail.leave("a", at: 1, by: nil)
        trail.leave("b", at: 2, by: IdentityFixture.mpid(1))
        #expect(trail.breadcrumbs(of: nil).isEmpty)
        #expect(trail.breadcrumbs(of: IdentityFixture.mpid(1)) == [Breadcrumb(label: "b", milliseconds: 2)])
    }
}
