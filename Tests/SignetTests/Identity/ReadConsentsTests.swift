// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Consents in memory: a user who is read again costs no reading of the disk, and a changed consent is never an old one.
@Suite(.watched) struct ReadConsentsTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let refused = ConsentState(gdpr: ["ads": Consent(false)])

    private static func consent(_ state: ConsentState = Self.given, of user: Int64) -> UserConsent {
        UserConsent(state, of: IdentityFixture.mpid(user), at: 1)
    }

    /// A count of the readings of records.
    private static func counting(_ reads: Locked<Int>) -> Disk {
        Disk(asking: { request in
            if request.call == .read, request.folder.hasSuffix("/state") { reads.withLock { $0 += 1 } }
            return nil
        })
    }

    @Test func aConsentCountsAtItsPlaceOnly() {
        let (user, other) = (IdentityFixture.mpid(1), IdentityFixture.mpid(2))
        let place = RecordPlace(file: 3, offset: 80)
        var consents = ReadConsents()
        consents.take(Self.consent(of: 1), at: place)
        #expect(consents.consent(of: user, at: place) == Self.consent(of: 1))
        #expect(consents.consent(of: user, at: RecordPlace(file: 3, offset: 81)) == nil)
        #expect(consents.consent(of: user, at: RecordPlace(file: 4, offset: 80)) == nil)
        #expect(consents.consent(of: other, at: place) == nil)
        consents.forget(other)
        #expect(consents.count == 1)
        consents.forget(user)
        #expect(consents.count == 0)
    }

    @Test func theirNumberHasALimit() {
        var consents = ReadConsents()
        let place = RecordPlace(file: 1, offset: 80)
        let limit = Int64(ReadConsents.limit)
        for user in 1...3 * limit { consents.take(Self.consent(of: user), at: place) }
        #expect(consents.count == ReadConsents.limit)
        // The last one of those with the same digits.
        #expect(consents.consent(of: IdentityFixture.mpid(3 * limit), at: place) != nil)
        #expect(consents.consent(of: IdentityFixture.mpid(2 * limit), at: place) == nil)
        // To forget one of them does not take the other.
        consents.forget(IdentityFixture.mpid(2 * limit))
        #expect(consents.count == ReadConsents.limit)
        for user in [Int64.min, -1, .max] { consents.take(Self.consent(of: user), at: place) }
        #expect(consents.consent(of: IdentityFixture.mpid(.min), at: place) == Self.consent(of: .min))
    }

    @Test func aUserWhoIsReadAgainCostsNoReadingOfTheDisk() async throws {
        let known = try await KnownInstallation()
        let reads = Locked(0)
        // It does not run: nothing but this test reads.
        let signet = try known.next { $0.disk = Self.counting(reads) }
        let one = try await signet.runtime.open("one", identify: .none)
        let mpid = try #require(one.currentUser?.mpid)
        func readings(_ body: () throws -> Void) rethrows -> Int {
            let before = reads.withLock { $0 }
            try body()
            return reads.withLock { $0 } - before
        }
        for state in [Self.given, Self.refused] {
            try await one.setConsent(state)
            let isGiven = state.gdpr["ads"]?.isGiven
            let first = readings { #expect(one.currentUser?.consent?.gdpr["ads"]?.isGiven == isGiven) }
            #expect(first <= 1, "the record that was just written")
            let others = readings {
                for _ in 0..<100 {
                    #expect(one.currentUser?.consent?.gdpr["ads"]?.isGiven == isGiven)
                    #expect(one.user(mpid)?.consent?.gdpr["ads"]?.isGiven == isGiven)
                    #expect(one.allUsers.first?.consent?.gdpr["ads"]?.isGiven == isGiven)
                }
            }
            #expect(others == 0)
        }
    }

    @Test func aRecordThatIsChangedMovedOrRemovedByAnyoneIsReadAnew() throws {
        let folder = try TemporaryFolder()
        let log = try StateLog(directory: folder.path)
        let store = StateStore(log)
        let clock = ManualClock()
        let consents = UserConsents(store, TimeSource(clock: clock, milliseconds: { clock.milliseconds }))
        let user = IdentityFixture.mpid(7)
        let key = StateKey.consent(of: user)
        #expect(try consents.latest(of: user) == nil)
        #expect(try consents.take(ConsentAnswer(consent: Self.given), of: user) == .taken)
        #expect(try consents.latest(of: user)?.state.gdpr["ads"]?.isGiven == true)
        // As an erasure or another part of the program does, past this object.
        try store.put(Self.consent(Self.refused, of: 7).encoded(), for: key)
        #expect(try consents.latest(of: user)?.state.gdpr["ads"]?.isGiven == false)
        try log.compact()
        #expect(try consents.latest(of: user)?.state.gdpr["ads"]?.isGiven == false)
        try store.remove(key)
        #expect(try consents.latest(of: user) == nil)
    }

    @Test func anErasedUserIsNotInMemory() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await visitor.setConsent(Self.given)
            #expect(visitor.currentUser?.consent != nil)
            let consents = try #require(signet.runtime.context.consents)
            #expect(consents.inMemory.withLock { $0.holds(mpid) })
            try await signet.runtime.eraseUser(mpid)
            #expect(!consents.inMemory.withLock { $0.holds(mpid) })
        }
    }
}
