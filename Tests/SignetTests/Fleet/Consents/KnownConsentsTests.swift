// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What a process knows of the consents of a row's users.
struct KnownConsentsTests {
    private static func mpid(_ number: Int64) throws -> MPID { try #require(MPID(rawValue: number)) }

    private static func known(_ number: Int64, at version: Int64) throws -> KnownConsents.Known {
        let consent = ConsentState(gdpr: ["ads": Consent(true)])
        return KnownConsents.Known(UserConsent(consent, of: try Self.mpid(number), at: version), tag: .random())
    }

    @Test func aReadingReplacesWhatWasKnownBefore() throws {
        var consents = KnownConsents()
        consents.note(try Self.known(1, at: 10), of: try Self.mpid(1), at: .seconds(1))
        let read = try Self.known(2, at: 5)
        consents.take([read], sent: .seconds(2), received: .seconds(3))
        #expect(consents[try Self.mpid(1)] == nil)
        #expect(consents[try Self.mpid(2)] == read)
    }

    @Test func aReadingThatWasSentBeforeAWriteDoesNotReplaceIt() throws {
        var consents = KnownConsents()
        let mpid = try Self.mpid(1)
        let written = try Self.known(1, at: 10)
        consents.note(written, of: mpid, at: .seconds(3))
        consents.take([try Self.known(1, at: 9)], sent: .seconds(2), received: .seconds(4))
        #expect(consents[mpid] == written)
        consents.take([], sent: .seconds(2), received: .seconds(4))
        #expect(consents[mpid] == written)
        let newer = try Self.known(1, at: 11)
        consents.take([newer], sent: .seconds(2), received: .seconds(4))
        #expect(consents[mpid] == newer)
    }

    @Test func aRecordThatIsGoneIsForgotten() throws {
        var consents = KnownConsents()
        consents.note(try Self.known(1, at: 10), of: try Self.mpid(1), at: .seconds(1))
        consents.note(nil, of: try Self.mpid(1), at: .seconds(2))
        #expect(consents[try Self.mpid(1)] == nil)
    }

    @Test func anAnswerIsJudgedByTheRecord() throws {
        let mpid = try Self.mpid(1)
        let (given, refused) = (ConsentState(gdpr: ["ads": Consent(true)]), ConsentState(gdpr: ["ads": Consent(false)]))
        let latest = UserConsent(given, of: mpid, at: 10)
        #expect(ConsentAnswer(consent: given).meaning(for: mpid, on: latest, at: 20) == .same)
        guard case .record(let record) = ConsentAnswer(consent: refused).meaning(for: mpid, on: latest, at: 5) else {
            Issue.record("the record changes")
            return
        }
        #expect(record.consent == refused && record.version == 11, "a later version, whatever the clock says")
        #expect(ConsentAnswer(consent: refused, base: 9).meaning(for: mpid, on: latest, at: 20) == .outdated)
        #expect(ConsentAnswer(consent: refused, base: 0).meaning(for: mpid, on: latest, at: 20) == .outdated)
        #expect(ConsentAnswer(consent: refused, moment: 9).meaning(for: mpid, on: latest, at: 20) == .same)
        #expect(ConsentAnswer(consent: given, known: given).meaning(for: mpid, on: nil, at: 20) == .same)
        #expect(
            ConsentAnswer(consent: refused, known: given, base: 0).meaning(for: mpid, on: nil, at: 20)
                == .record(UserConsent(refused, of: mpid, at: 20))
        )
    }
}
