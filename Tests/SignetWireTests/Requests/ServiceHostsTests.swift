// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct ServiceHostsTests {
    @Test(arguments: ["us1", "us2", "us3", "eu1", "au1", "st1"])
    func theKeyNamesThePod(_ pod: String) throws {
        let key = "\(pod)-0123456789abcdef"
        let hosts = ServiceHosts(apiKey: key)
        let modify = Route.modify(try Samples.mpid(-5))
        #expect(hosts.url(for: .identify, apiKey: key) == "https://identity.\(pod).mparticle.com/v1/identify")
        #expect(hosts.url(for: modify, apiKey: key) == "https://identity.\(pod).mparticle.com/v1/-5/modify")
        #expect(
            hosts.url(for: .alias, apiKey: key)
                == "https://nativesdks.\(pod).mparticle.com/v1/identity/\(key)/alias"
        )
        #expect(hosts.url(for: .events, apiKey: key) == "https://s2s.\(pod).mparticle.com/v2/events")
        #expect(hosts.url(for: .bulkEvents, apiKey: key) == "https://s2s.\(pod).mparticle.com/v2/bulkevents")
    }

    @Test(arguments: [
        "0123456789abcdef", "", "-key", "US1-key", "evil.example/-key", "evil.example#-key", "a@b-key", "ü1-key",
        "u s-key",
    ])
    func aKeyWithoutAPlainPodMeansUS1(_ key: String) {
        let url = ServiceHosts(apiKey: key).url(for: .login, apiKey: "k")
        #expect(url == "https://identity.us1.mparticle.com/v1/login")
    }

    @Test func anOverrideMovesItsServiceOnly() throws {
        let hosts = ServiceHosts(
            apiKey: "eu1-key",
            overrides: [.identity: try ServerURL("https://id.example.com/prefix")]
        )
        #expect(hosts.url(for: .identify, apiKey: "eu1-key") == "https://id.example.com/prefix/v1/identify")
        #expect(hosts.url(for: .events, apiKey: "eu1-key") == "https://s2s.eu1.mparticle.com/v2/events")
        #expect(
            hosts.url(for: .alias, apiKey: "eu1-key")
                == "https://nativesdks.eu1.mparticle.com/v1/identity/eu1-key/alias"
        )
    }

    @Test func oneBaseURLCarriesTheDocumentedPathsAndBeatsOverrides() throws {
        let hosts = ServiceHosts(
            apiKey: "us1-key",
            customBaseURL: try ServerURL("http://127.0.0.1:8080"),
            overrides: [
                .identity: try ServerURL("https://id.example.com"), .events: try ServerURL("https://e.example.com"),
            ]
        )
        #expect(hosts.url(for: .login, apiKey: "us1-key") == "http://127.0.0.1:8080/v1/login")
        #expect(hosts.url(for: .alias, apiKey: "us1-key") == "http://127.0.0.1:8080/v1/identity/us1-key/alias")
        #expect(hosts.url(for: .events, apiKey: "us1-key") == "http://127.0.0.1:8080/v2/events")
    }
}
