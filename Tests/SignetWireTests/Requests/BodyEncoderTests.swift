// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire
import Testing

@Suite struct BodyEncoderTests {
    private func request(_ route: Route, _ encoder: BodyEncoder) throws -> TransportRequest {
        try RequestBuilder(
            credentials: WorkspaceCredentials(apiKey: "us1-key", secret: "example-secret"),
            authentication: .hmac,
            hosts: ServiceHosts(apiKey: "us1-key", customBaseURL: nil, overrides: [:]),
            encoder: encoder
        ).request(for: route, body: [1, 2, 3], at: 0, timeout: .seconds(7), responseLimit: 4096)
    }

    @Test func onlyUploadsAreEncodedAndSayHow() throws {
        let backwards = BodyEncoder(contentEncoding: "backwards") { $0.reversed() }
        for route in [Route.events, .bulkEvents] {
            let request = try self.request(route, backwards)
            #expect(request.body == [3, 2, 1])
            #expect(request.headers.values(of: "Content-Encoding") == ["backwards"])
        }
        for route in [Route.identify, .alias] {
            let request = try self.request(route, backwards)
            #expect(request.body == [1, 2, 3])
            #expect(request.headers.values(of: "Content-Encoding").isEmpty)
        }
    }

    @Test func nothingIsEncodedUnlessAskedFor() throws {
        let request = try self.request(.events, .identity)
        #expect(request.body == [1, 2, 3])
        #expect(request.headers.values(of: "Content-Encoding").isEmpty)
    }
}
