// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@testable import Signet

@Suite struct AliasRequestTests {
    private static let now = IdentityFixture.now
    private static let day: Int64 = 86_400_000
    private static let window = 90 * Self.day

    private static func user(_ mpid: Int64, from first: Int64, to last: Int64) -> User {
        User(
            mpid: IdentityFixture.mpid(mpid),
            identities: [:],
            attributes: [:],
            isLoggedIn: false,
            isEphemeral: false,
            firstSeen: Date(milliseconds: first),
            lastSeen: Date(milliseconds: last)
        )
    }

    private static func explicit(_ start: Int64, _ end: Int64, source: Int64 = 1) -> AliasRequest {
        AliasRequest(
            source: IdentityFixture.mpid(source),
            destination: IdentityFixture.mpid(2),
            start: Date(milliseconds: start),
            end: Date(milliseconds: end)
        )
    }

    private static func window(
        _ request: AliasRequest,
        isKnown: (MPID) -> Bool = { _ in false }
    ) -> Result<ClosedRange<Int64>, SignetError> {
        do throws(SignetError) {
            let window = try request.window(now: Self.now, isKnown: isKnown)
            return .success(window.start...window.end)
        } catch {
            return .failure(error)
        }
    }

    private static func isRefused(
        _ request: AliasRequest,
        isKnown: (MPID) -> Bool = { _ in false }
    ) -> Bool {
        if case .failure(let error) = Self.window(request, isKnown: isKnown) {
            error.code == .invalidArgument
        } else {
            false
        }
    }

    @Test func aRequestOfTwoUsersIsFromTheFirstToTheLastSightOfTheSource() throws {
        let source = Self.user(1, from: Self.now - 5 * Self.day, to: Self.now - Self.day)
        let request = AliasRequest(source: source, destination: Self.user(2, from: 0, to: 1))
        #expect(request.source == IdentityFixture.mpid(1))
        #expect(request.destination == IdentityFixture.mpid(2))
        #expect(try Self.window(request).get() == (Self.now - 5 * Self.day)...(Self.now - Self.day))
    }

    @Test func aRequestOfTwoUsersIsCutTo90DaysAndToNow() throws {
        let source = Self.user(1, from: Self.now - 400 * Self.day, to: Self.now + Self.day)
        let request = AliasRequest(source: source, destination: Self.user(2, from: 0, to: 1))
        #expect(try Self.window(request).get() == (Self.now - Self.window)...Self.now)
    }

    @Test func aSourceThatWasLeftMoreThan90DaysAgoHasNothingToCopy() {
        let source = Self.user(1, from: Self.now - 400 * Self.day, to: Self.now - 91 * Self.day)
        #expect(Self.isRefused(AliasRequest(source: source, destination: Self.user(2, from: 0, to: 1))))
    }

    /// A guest who logs in at once, and one whose clock was set back between open and log-in.
    @Test(arguments: [(-5, -5), (0, 0), (3_600_000, 0), (3_600_000, -1)])
    func aSourceThatWasSeenForNoTimeHasTheirMillisecond(_ first: Int64, _ last: Int64) throws {
        let source = Self.user(1, from: Self.now + first, to: Self.now + last)
        let window = try Self.window(AliasRequest(source: source, destination: Self.user(2, from: 0, to: 1))).get()
        #expect(window.upperBound == min(Self.now, Self.now + max(first, last)))
        #expect(window.lowerBound == window.upperBound - 1)
    }

    @Test func datesOfYourOwnAreTakenWithinTheLimitsAndRefusedBeyond() throws {
        let earliest = Self.now - Self.window
        #expect(try Self.window(Self.explicit(earliest, Self.now)).get() == earliest...Self.now)
        #expect(Self.isRefused(Self.explicit(earliest - 1, Self.now)))
        #expect(Self.isRefused(Self.explicit(Self.now - Self.day, Self.now + 1)))
        #expect(Self.isRefused(Self.explicit(Self.now - Self.day, Self.now - Self.day)))
        #expect(Self.isRefused(Self.explicit(Self.now - Self.day, Self.now - 2 * Self.day)))
    }

    @Test func datesBeyondAllCalendarsAreRefusedAndTrapNothing() {
        let request = AliasRequest(
            source: IdentityFixture.mpid(1),
            destination: IdentityFixture.mpid(2),
            start: .distantPast,
            end: Date(timeIntervalSince1970: .infinity)
        )
        #expect(Self.isRefused(request))
    }

    @Test func sourceAndDestinationAreTwoUsers() {
        #expect(Self.isRefused(Self.explicit(Self.now - Self.day, Self.now, source: 2)))
    }

    @Test func theSourceIsAnAnonymousUserAsFarAsThisInstallationKnows() {
        let request = Self.explicit(Self.now - Self.day, Self.now)
        #expect(Self.isRefused(request) { $0 == IdentityFixture.mpid(1) })
        #expect(!Self.isRefused(request) { $0 == IdentityFixture.mpid(2) })
    }
}
