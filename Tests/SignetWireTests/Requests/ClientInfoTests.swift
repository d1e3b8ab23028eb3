// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetWire

@Suite struct ClientInfoTests {
    @Test func thePlatformIsOneThatTheDocumentationLists() {
        let listed = ["ios", "android", "web", "tvos", "roku", "alexa", "smart_tv", "fire", "xbox", "other"]
        #expect(Set(ClientPlatform.allCases.map(\.rawValue)) == Set(listed))
        #expect(ClientInfo.signet.platform == .current)
        #if os(Linux)
        #expect(ClientPlatform.current == .other)
        #endif
        #expect(ClientInfo.signet.vendor == "signet")
        #expect(!ClientInfo.signet.version.isEmpty)
    }

    @Test func theMemberHasTheDocumentedNames() {
        var writer = JSONWriter()
        writer.beginObject()
        ClientInfo(platform: .other, vendor: "v", version: "1.2").write(to: &writer)
        writer.endObject()
        #expect(
            Samples.text(writer.bytes)
                == #"{"client_sdk":{"platform":"other","sdk_vendor":"v","sdk_version":"1.2"}}"#
        )
    }
}
