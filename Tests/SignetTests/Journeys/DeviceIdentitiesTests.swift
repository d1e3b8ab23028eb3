// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Identities of the device on the wire: what the app said last, over restarts too.
@Suite(.watched) struct DeviceIdentitiesTests {
    private static func bodies(_ signet: EmulatedSignet, _ endpoint: String) throws -> [JSONValue] {
        try signet.transport.exchanges.filter { $0.endpoint == endpoint }.map { try JSONReader.read($0.request.body) }
    }

    @Test func aNewTokenIsNotLostToOneThatAnEarlierLoginGave() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.login([.customerID: "c-1", .pushToken: "t-1", .iosAdvertiserID: "idfa-1"])
        }
        let second = try known.next()
        let installation = try await second.runtime.open("one")
        try await installation.setDeviceIdentity("t-2", for: .pushToken)
        try await installation.setDeviceIdentity("idfa-2", for: .iosAdvertiserID)
        try await second.run { signet in
            _ = try await installation.initialIdentifyResult()
            let sent = try #require(try Self.bodies(signet, "identify").last?["known_identities"])
            #expect(sent["push_token"]?.string == "t-2")
            #expect(sent["ios_idfa"]?.string == "idfa-2")
            #expect(sent["customerid"]?.string == "c-1")
        }
        // And the next start has it from the disk.
        let third = try known.next()
        try await third.run { signet in
            _ = try await signet.runtime.open("one").initialIdentifyResult()
            let sent = try #require(try Self.bodies(signet, "identify").last?["known_identities"])
            #expect(sent["push_token"]?.string == "t-2")
            #expect(sent["ios_idfa"]?.string == "idfa-2")
        }
    }

    @Test func aModifyOfTheTokenStartsFromTheDevicesAndALoginThenSendsTheNewOne() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.setDeviceIdentity("t-1", for: .pushToken)
            await until("the token is told") { installation.core.identityState.pushTokenChange == nil }
            #expect(try await installation.modify([.pushToken: "t-2"]).isSent)
            var changes = try Self.bodies(signet, "modify").compactMap { $0["identity_changes"]?.array?.first }
            #expect(changes.map { $0["old_value"]?.string } == [nil, "t-1"])
            #expect(changes.map { $0["new_value"]?.string } == ["t-1", "t-2"])
            try await installation.login([.customerID: "c-2"])
            let login = try #require(try Self.bodies(signet, "login").last?["known_identities"])
            #expect(login["push_token"]?.string == "t-2")
            #expect(try await installation.modify([.pushToken: nil]).isSent)
            changes = try Self.bodies(signet, "modify").compactMap { $0["identity_changes"]?.array?.first }
            #expect(changes.last?["old_value"]?.string == "t-2")
            #expect(changes.last?["new_value"]?.isNull == true)
            try await installation.logout()
            let logout = try #require(try Self.bodies(signet, "logout").last?["known_identities"])
            #expect(logout["push_token"] == nil)
            #expect(changes.count == 3)
        }
    }

    @Test func whatAModifyWithoutARequestSaidOfTheDeviceIsOnDisk() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.setDeviceIdentity("idfa-1", for: .iosAdvertiserID)
            #expect(try await !installation.modify([.iosAdvertiserID: nil]).isSent)
            #expect(signet.transport.identityEndpoints.isEmpty)
        }
        try await known.next().run { signet in
            _ = try await signet.runtime.open("one").initialIdentifyResult()
            let sent = try #require(try Self.bodies(signet, "identify").last?["known_identities"])
            #expect(sent["ios_idfa"] == nil)
        }
    }
}
