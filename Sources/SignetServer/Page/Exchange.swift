// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTransport

/// A request and its outcome, for the live page.
struct Exchange: Sendable {
    /// More than any service accepts, and a size that a browser still lays out.
    private static let shownBytes = 2 << 20

    /// The position in the order of answers, from 1.
    var number = 0
    /// The origin of a page that may not call the services, empty if it has none; nil for other requests.
    var refusedPage: String?
    /// The time of arrival, in milliseconds since 1970.
    let time: Int64
    let method: String
    /// The path and query as received.
    let path: String
    /// The headers as received; credentials are hidden when written.
    let requestHeaders: [HTTPHeaders.Field]
    let requestBody: [UInt8]
    /// Nil when the connection was closed without an answer.
    let status: Int?
    let responseHeaders: [HTTPHeaders.Field]
    let responseBody: [UInt8]
    /// The error, if there was no answer.
    let failure: String?

    init(
        _ request: TransportRequest,
        method: String? = nil,
        path: String,
        response: Result<TransportResponse, TransportError>,
        at time: Int64
    ) {
        self.time = time
        self.method = method ?? request.method.rawValue
        self.path = path
        self.requestHeaders = Array(request.headers)
        self.requestBody = request.body
        switch response {
        case .success(let response):
            self.status = response.status
            self.responseHeaders = Array(response.headers)
            self.responseBody = response.body
            self.failure = nil
        case .failure(let error):
            self.status = nil
            self.responseHeaders = []
            self.responseBody = []
            self.failure = error.description
        }
    }

    /// The approximate memory size, in bytes.
    var size: Int {
        let fields = self.requestHeaders + self.responseHeaders
        return 512 + self.path.utf8.count + self.requestBody.count + self.responseBody.count
            + fields.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// Writes the exchange for a list, without headers and bodies.
    func writeSummary(to writer: inout JSONWriter) {
        writer.beginObject()
        self.writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes the whole exchange; bodies are text, with U+FFFD for invalid bytes.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        self.writeMembers(to: &writer)
        Self.write("requestHeaders", self.requestHeaders, to: &writer)
        writer.member("requestBody", String(decoding: self.expandedBody, as: UTF8.self))
        Self.write("responseHeaders", self.responseHeaders, to: &writer)
        writer.member("responseBody", String(decoding: self.responseBody, as: UTF8.self))
        writer.endObject()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", self.number)
        writer.member("time", self.time)
        writer.member("method", self.method)
        writer.member("path", self.path)
        if let status = self.status { writer.member("status", status) }
        if let failure = self.failure { writer.member("failure", failure) }
        writer.member("requestBytes", self.requestBody.count)
        writer.member("responseBytes", self.responseBody.count)
    }

    // The expanded body; a body that is not gzip, despite its header, is shown as received.
    private var expandedBody: [UInt8] {
        let encoding = self.requestHeaders.first { $0.name.lowercased() == "content-encoding" }
        guard encoding?.value.lowercased().hasSuffix("gzip") == true else { return self.requestBody }
        do throws(Gunzip.Failure) {
            return try Gunzip.expand(self.requestBody, limit: Self.shownBytes)
        } catch {
            return self.requestBody
        }
    }

    // The page may be shown to others, so it hides credentials.
    private static let secret: Set<String> = ["authorization", "x-mp-signature", "cookie", "api-key"]

    private static func shown(_ field: HTTPHeaders.Field) -> String {
        let name = field.name.lowercased()
        guard Self.secret.contains(name) else { return field.value }
        let scheme = field.value.prefix { $0 != " " }
        let isKnown = name == "authorization" && ["basic", "bearer", "app"].contains(scheme.lowercased())
        return isKnown ? "\(scheme) <hidden>" : "<hidden>"
    }

    private static func write(_ key: String, _ fields: [HTTPHeaders.Field], to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for field in fields {
            writer.beginObject()
            writer.member("name", field.name)
            writer.member("value", Self.shown(field))
            writer.endObject()
        }
        writer.endArray()
    }
}
#endif
