// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A till in a shop: customers log in and out all day.
@Suite(.watched) struct ManyUsersTests {
    @Test func aTillThatLogsOutAllDayDoesNotGrowAndEachEventGoesToItsUser() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path) { $0.events.priorityUploadDelay = .seconds(600) }
        let expected = try await signet.run { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            let till = try await signet.runtime.open("till", identify: .none)
            var users: [String: MPID] = [:]
            var sizes: [Int] = []
            for turn in 0..<40 {
                let customer = try await till.login([.customerID: "c-\(turn % 4)"]).user
                try await till.setAttribute(AttributeValue(turn), for: "visit")
                try till.log(.custom("sale \(turn)"))
                users["sale \(turn)"] = customer.mpid
                let nobody = try await till.logout().user
                try till.log(.custom("idle \(turn)"))
                try till.leaveBreadcrumb("idle \(turn)")
                users["idle \(turn)"] = nobody.mpid
                sizes.append(try #require(try signet.runtime.context.store.value(for: StateKey.identity("till"))).count)
            }
            let idle = users.filter { $0.key.hasPrefix("idle") }
            #expect(Set(idle.values).count == 40, "each log-out made a user")
            // Four customers; the one of now and the ten before.
            #expect(till.allUsers.count == 15)
            #expect(sizes.suffix(20).max() == sizes.suffix(20).min(), "\(sizes)")
            #expect(till.allUsers.filter { !$0.attributes.isEmpty }.count == 4)
            // A record for each of the eleven, and for three who became customers afterwards.
            let breadcrumbs = try signet.runtime.context.store.keys(withPrefix: StateKey.breadcrumbs)
            #expect(breadcrumbs.count == 14)
            signet.emulator.faults.clear()
            return users
        }
        var arrived: [String: MPID] = [:]
        for mpid in Set(expected.values) {
            for event in signet.emulator.events(of: mpid) {
                guard let name = event.name, name.hasPrefix("sale") || name.hasPrefix("idle") else { continue }
                arrived[name] = mpid
            }
        }
        #expect(arrived == expected)
    }
}
