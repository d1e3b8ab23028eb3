// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetTransport

/// What came back on a connection.
struct HTTPAnswer {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    /// Nil for bytes that are no answer.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.indices.dropLast(3).first(where: { bytes[$0..<($0 + 4)].elementsEqual("\r\n\r\n".utf8) })
        else {
            return nil
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers.append(name: String(parts[0]), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        self.status = status
        self.headers = headers
        self.body = Array(bytes[(end + 4)...])
    }

    var text: String { String(decoding: self.body, as: UTF8.self) }

    var json: JSONValue {
        get throws { try JSONReader.read(self.body, limits: JSONLimits(bytes: 1 << 24)) }
    }
}
#endif
