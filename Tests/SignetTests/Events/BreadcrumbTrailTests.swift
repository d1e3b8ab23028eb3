// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct BreadcrumbTrailTests {
    private static let user = IdentityFixture.mpid(1)

    private static func trail(of user: MPID?, _ numbers: Range<Int>) -> BreadcrumbTrail {
        var trail = BreadcrumbTrail(of: user)
        for number in numbers { trail.leave("\(number)", at: Int64(number)) }
        return trail
    }

    @Test func theLastFiftyAreKept() {
        #expect(Self.trail(of: Self.user, 0..<60).breadcrumbs.map(\.label) == (10..<60).map { "\($0)" })
    }

    @Test func thoseOfNobodyFollowThoseOfTheFirstUser() {
        var trail = Self.trail(of: Self.user, 0..<30)
        trail.inherit(Self.trail(of: nil, 30..<70))
        #expect(trail.user == Self.user)
        #expect(trail.breadcrumbs.map(\.label) == (20..<70).map { "\($0)" })
    }

    @Test func aTrailComesBackFromItsBytesAndNothingShorterDoes() {
        for user in [Self.user, nil] {
            let trail = Self.trail(of: user, 0..<3)
            let bytes = trail.encoded()
            #expect(BreadcrumbTrail(bytes) == trail)
            for count in 0..<bytes.count { #expect(BreadcrumbTrail(Array(bytes.prefix(count))) == nil) }
        }
    }

    @Test func moreThanTheLimitIsNoTrail() {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        encoder.write("crumbs", Self.trail(of: nil, 0..<50).breadcrumbs + Self.trail(of: nil, 0..<1).breadcrumbs)
        #expect(BreadcrumbTrail(encoder.finish()) == nil)
    }
}
