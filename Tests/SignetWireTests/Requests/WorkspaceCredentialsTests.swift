// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@Suite struct WorkspaceCredentialsTests {
    @Test(arguments: ["us1-0123456789abcdef", "A", "a.b_c~d-E", String(repeating: "k", count: 256)])
    func anOrdinaryKeyPasses(_ key: String) throws {
        try WorkspaceCredentials(apiKey: key, secret: "s").check(for: .hmac)
    }

    @Test(arguments: [
        "", " ", "a b", "a\r\nx-admin: 1", "a\0b", "a/b", "../x", ".", "..", "a%2e", "a:b", "a?b", "a#b", "a\\b",
        "a\u{7F}", "é", "a\u{202E}b", "a@b", String(repeating: "k", count: 257),
    ])
    func aKeyThatCouldChangeAPathOrAHeaderIsRefused(_ key: String) {
        let error = #expect(throws: WireError.self) {
            try WorkspaceCredentials(apiKey: key, secret: "s").check(for: .hmac)
        }
        #expect(error?.code == .invalidAPIKey)
    }

    @Test func anEmptySecretIsRefusedWhereOneIsNeeded() throws {
        let credentials = WorkspaceCredentials(apiKey: "us1-key", secret: "")
        #expect(throws: WireError.self) { try credentials.check(for: .hmac) }
        #expect(throws: WireError.self) { try credentials.check(for: .basic) }
        try credentials.check(for: .keyOnly)
    }

    @Test func neitherTheKeyNorTheSecretShowsItself() {
        let credentials = WorkspaceCredentials(apiKey: "us1-visible", secret: "hush")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("visible") && !text.contains("hush"))
        }
    }

    @Test func aRefusalDoesNotRepeatTheKey() {
        let error = #expect(throws: WireError.self) {
            try WorkspaceCredentials(apiKey: "us1-visible/x", secret: "hush").check(for: .hmac)
        }
        #expect(error?.message.contains("visible") == false)
    }
}
