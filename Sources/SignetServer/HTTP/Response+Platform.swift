// SPDX-License-Identifier: Apache-2.0

#if Tool
import HTTPTypes
import Hummingbird
import SignetTransport

extension Response {
    /// Converts the platform's answer.
    init(_ response: TransportResponse) {
        // 204 and 304 have no body (RFC 9110, 15.3.5 and 15.4.5): the client would read it as the beginning of the next answer.
        let mayHaveBody = response.status != 204 && response.status != 304
        var headers = HTTPFields()
        for field in response.headers {
            guard let name = HTTPField.Name(field.name), mayHaveBody || name != .contentType else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        self.init(
            status: HTTPResponse.Status(code: (100...999).contains(response.status) ? response.status : 500),
            headers: headers,
            body: mayHaveBody ? body : ResponseBody()
        )
    }

    /// Makes an answer that is longer than any client should read: a JSON text of 64 MiB.
    static func endless() -> Response {
        let chunk = ByteBuffer(repeating: UInt8(ascii: "a"), count: 64 << 10)
        return Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: #"{"padding":""#))
                for _ in 0..<1024 { try await writer.write(chunk) }
                try await writer.write(ByteBuffer(string: #""}"#))
                try await writer.finish(nil)
            }
        )
    }
}
#endif
