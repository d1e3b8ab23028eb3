// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct HTTPHeadersRedactionTests {
    private static let secret = "c2VjcmV0LXRva2Vu"

    private static func headers() -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.append(name: "Authorization", value: "Basic \(Self.secret)")
        return headers
    }

    /// All the ways in which a value gets into a log line by accident.
    private static func prints(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), "\(value)", "\([value])", dumped]
    }

    @Test func headersShowTheirNamesOnly() {
        let headers = Self.headers()
        for text in Self.prints(of: headers) + Self.prints(of: Array(headers)) {
            #expect(!text.contains(Self.secret), "\(text)")
        }
        #expect(headers.description == "HTTPHeaders(Authorization)")
        #expect(headers.first.map { "\($0)" } == "Authorization: <redacted>")
    }

    @Test func aRequestShowsNeitherAddressNorHeadersNorBody() {
        let request = TransportRequest(
            method: .post,
            url: "https://example.com/v2/\(Self.secret)/events",
            headers: Self.headers(),
            body: Array(Self.secret.utf8)
        )
        for text in Self.prints(of: request) {
            #expect(!text.contains(Self.secret) && !text.contains("example.com") && !text.contains("99"), "\(text)")
        }
        #expect(request.description == "TransportRequest(POST, 1 headers, 16 bytes)")
    }

    @Test func anAnswerShowsNeitherHeadersNorBody() {
        let answer = TransportResponse(status: 200, headers: Self.headers(), body: Array(Self.secret.utf8))
        for text in Self.prints(of: answer) {
            #expect(!text.contains(Self.secret) && !text.contains("99"), "\(text)")
        }
        #expect(answer.description == "TransportResponse(200, 16 bytes)")
    }
}
