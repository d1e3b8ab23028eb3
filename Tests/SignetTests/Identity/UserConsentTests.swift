// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetRuntimeTestSupport
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// The latest consent of a user, and what of it the platform has.
@Suite struct UserConsentTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let refused = ConsentState(gdpr: ["ads": Consent(false)])
    private static let mpid = IdentityFixture.mpid(7)
    private static let day: Int64 = 86_400_000

    private static func version(_ number: Int64, _ state: ConsentState) -> UserConsent.Version {
        UserConsent.Version(number: number, hash: state.hash)
    }

    @Test func eachAnswerHasALaterVersionAlsoIfTheClockGoesBack() {
        var consent = UserConsent(Self.given, of: Self.mpid, at: 100)
        consent.set(Self.refused, at: 90)
        #expect(consent.version == 101)
        consent.set(nil, at: 500)
        #expect(consent.version == 500)
        #expect(consent.consent == nil)
        #expect(consent.state.isEmpty)
    }

    @Test func anAcceptedAnswerIsNotSaidAgain() {
        var consent = UserConsent(Self.given, of: Self.mpid, at: 100)
        #expect(consent.isDue(at: 100))
        #expect(consent.accept(Self.version(100, Self.given), at: 110) == .inOrder)
        #expect(!consent.isDue(at: 110))
    }

    @Test func anOlderAnswerAfterANewerOneMakesTheNewerOneDueAgain() {
        var consent = UserConsent(Self.given, of: Self.mpid, at: 100)
        consent.set(Self.refused, at: 200)
        #expect(consent.accept(Self.version(200, Self.refused), at: 210) == .inOrder)
        #expect(consent.accept(Self.version(100, Self.given), at: 220) == .late)
        #expect(consent.isDue(at: 220))
        #expect(consent.state == Self.refused)
        // Said again, it is settled.
        #expect(consent.accept(Self.version(consent.version, Self.refused), at: 230) == .inOrder)
        #expect(!consent.isDue(at: 230))
    }

    /// The two answers are noted in the right order, but nothing says in which order the platform took them.
    @Test func anOlderAnswerBeforeANewerOneMakesTheNewerOneDueOnceMore() {
        var consent = UserConsent(Self.given, of: Self.mpid, at: 100)
        consent.set(Self.refused, at: 200)
        #expect(consent.accept(Self.version(100, Self.given), at: 210) == .inOrder)
        #expect(consent.accept(Self.version(200, Self.refused), at: 220) == .late)
        #expect(consent.accept(Self.version(consent.version, Self.refused), at: 230) == .inOrder)
        #expect(!consent.isDue(at: 230))
    }

    @Test func anAnswerOfBeforeTheRecordIsOlder() {
        var consent = UserConsent(Self.refused, of: Self.mpid, at: 100)
        #expect(consent.accept(Self.version(100, Self.refused), at: 110) == .inOrder)
        #expect(consent.accept(Self.version(0, Self.given), at: 120) == .late)
    }

    @Test func theSameAnswerSaidTwiceIsNoneThatIsLate() {
        var consent = UserConsent(Self.given, of: Self.mpid, at: 100)
        consent.set(Self.refused, at: 200)
        _ = consent.accept(Self.version(200, Self.refused), at: 210)
        #expect(consent.accept(Self.version(150, Self.refused), at: 220) == .inOrder)
        #expect(!consent.isDue(at: 220))
    }

    @Test func onlyRefusalsAreSaidAgainAfterALongTime() {
        let sale = ConsentState(ccpaDataSaleOptOut: Consent(true))
        let mixed = ConsentState(gdpr: ["ads": Consent(false), "news": Consent(true)])
        let allowed = ConsentState(ccpaDataSaleOptOut: Consent(false))
        for (state, isRefusal) in [
            (Self.refused, true), (sale, true), (Self.given, false), (mixed, false), (allowed, false),
        ] {
            var consent = UserConsent(state, of: Self.mpid, at: 100)
            _ = consent.accept(Self.version(100, state), at: 100)
            #expect(!consent.isDue(at: 19 * Self.day))
            #expect(consent.isDue(at: 21 * Self.day) == isRefusal)
        }
    }

    // MARK: - Beside the consent of an installation

    @Test func theConsentOfAnInstallationIsDueUntilThePlatformHasItOrALaterOne() {
        var consent = UserConsent(unansweredBy: Self.mpid)
        #expect(consent.answered == nil)
        #expect(consent.isDue(Self.given, of: 10, at: 10))
        #expect(consent.accept(Self.version(10, Self.given), at: 11) == .inOrder)
        #expect(!consent.isDue(Self.given, of: 10, at: 11))
        #expect(!consent.isDue(Self.refused, of: 9, at: 21 * Self.day), "older, and superseded for good")
        #expect(consent.isDue(Self.refused, of: 12, at: 12))
        #expect(consent.answered == nil, "the user has said nothing")
    }

    @Test func anAnswerAfterTheConsentOfAnInstallationIsLaterWhateverTheClockSays() {
        var consent = UserConsent(Self.refused, of: Self.mpid, at: 5)
        #expect(!consent.isOverruled(by: 0) && consent.isOverruled(by: 6))
        _ = consent.accept(Self.version(10, Self.given), at: 11)
        #expect(consent.isOverruled(by: 0))
        #expect(!consent.isDue(at: 12))
        // The same answer again.
        let answer = ConsentAnswer(consent: Self.refused)
        guard case .record(let record) = answer.meaning(for: Self.mpid, on: consent, at: 7) else {
            Issue.record("It is an answer.")
            return
        }
        #expect(record.version == 11)
        #expect(record.isDue(at: 12))
    }

    @Test func aRemovedConsentOfAnInstallationRenewsOnlyWhatItSuperseded() {
        var consent = UserConsent(Self.refused, of: Self.mpid, at: 5)
        #expect(consent.renew(after: 4, at: 20) == false, "the answer is later")
        _ = consent.accept(Self.version(10, Self.given), at: 11)
        #expect(consent.renew(after: 9, at: 20) == false, "another installation's is later")
        #expect(consent.renew(after: 10, at: 20) == true)
        #expect(consent.version == 20 && consent.isDue(at: 20))
        #expect(consent.renew(after: nil, at: 20) == true, "with all facts it has superseded each answer")
        #expect(consent.version == 21)
        var unanswered = UserConsent(unansweredBy: Self.mpid)
        #expect(unanswered.renew(after: 10, at: 20) == false)
    }

    /// Only the installation knows the later one.
    @Test func anOlderAnswerAfterTheConsentOfAnInstallationMakesThatDueAgain() {
        var consent = UserConsent(Self.refused, of: Self.mpid, at: 5)
        _ = consent.accept(Self.version(5, Self.refused), at: 6)
        _ = consent.accept(Self.version(10, Self.given), at: 11)
        // One of before the answer: until the installation says its own again, the answer counts.
        #expect(consent.accept(Self.version(3, Self.given), at: 12) == .late)
        #expect(consent.isDue(at: 12) && consent.isDue(Self.given, of: 10, at: 12))
        #expect(consent.accept(Self.version(10, Self.given), at: 13) == .inOrder)
        #expect(!consent.isDue(at: 14) && !consent.isDue(Self.given, of: 10, at: 14))
        // The answer itself: the platform has it, and not the later one.
        #expect(consent.accept(Self.version(5, Self.refused), at: 15) == .inOrder)
        #expect(!consent.isDue(at: 15) && consent.isDue(Self.given, of: 10, at: 15))
    }

    /// They have answered elsewhere since, and the platform has that answer.
    @Test(arguments: [Self.refused, nil])
    func whatAUserHasLeftBehindDoesNotUndoTheirLaterAnswer(_ answer: ConsentState?) {
        let state = IdentityFixture.empty
        var record = UserConsent(answer, of: Self.mpid, at: 100)
        _ = record.accept(Self.version(100, answer ?? ConsentState()), at: 110)
        var user = BatchUser(state, Self.mpid, departed: Self.given)
        #expect(BatchFacts(user, .changes).consent == Self.given, "without a record")
        user.take(record, on: state, carrying: .changes, at: 120)
        #expect(BatchFacts(user, .changes).consent == nil)
        #expect(BatchFacts(user, .all).consent == answer)
    }

    @Test func whatAUserHasLeftBehindDoesNotUndoThatOfTheInstallation() {
        var state = IdentityFixture.empty
        state.setInstallationConsent(Self.refused, at: 100)
        var user = BatchUser(state, Self.mpid, departed: Self.given)
        user.take(nil, on: state, carrying: .changes, at: 120)
        #expect(BatchFacts(user, .changes).consent == Self.refused)
    }
}
