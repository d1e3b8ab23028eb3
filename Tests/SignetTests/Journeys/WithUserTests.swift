// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Several changes of a user in one call.
@Suite(.watched) struct WithUserTests {
    @Test func attributesAndConsentChangeTogether() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await visitor.setAttributes(["trial": true, "visits": 2])
            let visits = try await visitor.withUser { user in
                user["tier"] = "gold"
                user["Trial"] = nil
                user.increment("visits")
                user.setTag("vip")
                user.consent.gdpr["Newsletter"] = Consent(true)
                return user["VISITS"]
            }
            #expect(visits == 3)
            let user = try #require(visitor.currentUser)
            #expect(user.attributes == ["tier": "gold", "visits": 3, "vip": .null])
            #expect(user.consent?.gdpr["newsletter"]?.isGiven == true)
            return user.mpid
        }
        #expect(signet.emulator.user(mpid)?.attributes == ["tier": "gold", "visits": 3])
        #expect(signet.emulator.user(mpid)?.attributeTags == ["vip"])
        #expect(signet.emulator.user(mpid)?.consent?.gdpr["newsletter"]?.isGiven == true)
        let changes = signet.emulator.events(of: mpid).compactMap { $0.data["user_attribute_name"]?.string }
        #expect(changes.suffix(4) == ["tier", "trial", "visits", "vip"])
    }

    @Test func oneChangeBeyondALimitChangesNothing() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            let visitor = try await signet.openKnown()
            let before = try #require(visitor.currentUser)
            for spoil in [
                { (user: inout UserEditor) in user["n"] = .double(.nan) },
                { (user: inout UserEditor) in user.increment("tier") },
                { (user: inout UserEditor) in user.consent.gdpr[""] = Consent(true) },
            ] {
                let error = await #expect(throws: SignetError.self) {
                    try await visitor.withUser { user in
                        user["tier"] = "gold"
                        spoil(&user)
                        user.consent.gdpr["newsletter"] = Consent(true)
                    }
                }
                #expect(error?.code == .invalidArgument)
            }
            #expect(visitor.currentUser?.attributes == before.attributes)
            #expect(visitor.currentUser?.consent == nil)
        }
    }

    @Test func withoutAUserItSaysSo() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            for mpid in [nil, MPID(rawValue: 17)] {
                let error = await #expect(throws: SignetError.self) {
                    try await visitor.withUser(mpid) { $0["a"] = 1 }
                }
                #expect(error?.code == .noUser)
            }
        }
    }

    @Test func anOptOutKeepsAttributesAndTakesConsent() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            let visitor = try await signet.openKnown()
            try await visitor.setOptedOut(true)
            try await visitor.withUser { $0.consent.gdpr["ads"] = Consent(false) }
            #expect(visitor.currentUser?.consent?.gdpr["ads"]?.isGiven == false)
            let error = await #expect(throws: SignetError.self) { try await visitor.withUser { $0["a"] = 1 } }
            #expect(error?.code == .optedOut)
        }
    }

    @Test func aChangeInTheMeantimeRunsTheClosureAgain() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            let visitor = try await signet.openKnown()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await visitor.withUser { user in
                            user.increment("visits")
                            user["last"] = user["visits"]
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(visitor.currentUser?.attributes == ["visits": 50, "last": 50])
        }
    }

    @Test func changesOfTheUserComeAsPairs() async throws {
        let folder = try TemporaryFolder()
        try await EmulatedSignet(in: folder.path).run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            var pairs = visitor.userChanges().pairs.makeAsyncIterator()
            let one = try await visitor.login([.customerID: "c-1"]).user.mpid
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            let (first, second) = (await pairs.next(), await pairs.next())
            #expect(first?.old == nil && first?.new?.mpid == one)
            #expect(second?.old?.mpid == one && second?.new?.mpid == two)
        }
    }
}
