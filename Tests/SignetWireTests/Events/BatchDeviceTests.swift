// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct BatchDeviceTests {
    private func batch(_ identities: [IdentityType: String], ip: String? = nil) throws -> JSONValue {
        let body = BatchBody(
            batchID: Samples.uuid(0xBA),
            milliseconds: Samples.milliseconds,
            environment: .development,
            mpid: try Samples.mpid(1),
            deviceApplicationStamp: nil,
            deviceIdentities: identities,
            ip: ip.flatMap { IPAddress($0) }
        )
        return try JSONReader.read(body.encoded(events: []))
    }

    private static let uuid = "6d92078a-8246-4ba4-ae5b-76104861e7dc"

    @Test(arguments: [
        ("ios_idfa", "ios_advertising_id", true), ("ios_idfv", "ios_idfv", true), ("push_token", "push_token", false),
        ("android_aaid", "android_advertising_id", true), ("android_uuid", "android_uuid", false),
        ("amp_id", "amp_id", false), ("roku_aid", "roku_advertising_id", true),
        ("roku_publisher_id", "roku_publisher_id", true), ("fire_aid", "fire_advertising_id", true),
    ])
    func identitiesOfDevicesHaveOtherNamesInABatch(wireName: String, name: String, isUUID: Bool) throws {
        let type = IdentityType(wireName: wireName)
        #expect(try self.batch([type: Self.uuid])["device_info"]?.object?.count == 1)
        #expect(try self.batch([type: Self.uuid])["device_info"]?[name]?.string == Self.uuid)
        // The JSON Schema of the Events API has a pattern for them; one value against it costs the whole batch.
        #expect(try self.batch([type: "x"])["device_info"]?[name]?.string == (isUUID ? nil : "x"))
    }

    @Test func otherTypesStayBehind() throws {
        let batch = try self.batch([
            .deviceApplicationStamp: Self.uuid, IdentityType(wireName: "x", isDevice: true): "x", .email: "e@x",
        ])
        #expect(batch["device_info"] == nil)
        #expect(batch["user_identities"] == nil)
    }

    @Test func theAddressIsToldWhereItIsKnown() throws {
        #expect(try self.batch([:])["ip"] == nil)
        #expect(try self.batch([:], ip: "192.0.2.1")["ip"]?.string == "192.0.2.1")
        #expect(try self.batch([:], ip: "2001:DB8::0:1")["ip"]?.string == "2001:db8::1")
    }
}
