// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@testable import Signet

@Suite("Logging through a handle of a shared row", .watched) struct FleetLogTests {
    /// An event that only continues its session needs no transaction, which copies the installation.
    @Test(arguments: [0, 1, 5, 30])
    func aHandleThatIsOpenForLongLogsAsFastAsANewOne(seconds: Int) async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try here.log(.custom("first"))
            try await fleet.pass(seconds)
            let store = here.core.store
            var logged: Result<UInt64?, SignetError> = .success(nil)
            EventBody.withShortDetails(of: .custom("next")) { kind, json in
                logged = Result { () throws(SignetError) in try store.append(kind, json, .regular) }
            }
            #expect(try logged.get() != nil)
        }
    }

    @Test func noRecordOfASessionInASharedRowIsDue() {
        var (shared, local) = (InstallationFrames.withoutRecord(last: 7), InstallationFrames(last: 7))
        let later = SessionTimestamp(uptime: .seconds(86_400), milliseconds: 1_700_000_000_000)
        let isDue = (shared.isRecordDue(at: later), local.isRecordDue(at: later))
        #expect(isDue == (false, true))
        shared.checked(as: shared)
        let isStillNotDue = shared.isRecordDue(at: later, hasFrame: false)
        #expect(!isStillNotDue)
    }
}
