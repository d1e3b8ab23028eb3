//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import HTTPTypes
import Hummingbird
import SignetEmulator

/// Answers each request: the live page its own, the emulator the rest.
struct EmulatorResponder: HTTPResponder {
    let services: ServiceRequestHandler
    /// Nil where there is no page.
    let page: PageRequestHandler?
    let hosts: HostRule
    /// How many combining marks may stand in a row in a header field.
    let marks: Int

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let response = try await self.answer(to: request, context: context)
        // None has a body (RFC 9110, 9.3.2): whatever came would be the beginning of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(to request: Request, context: ServerContext) async throws -> Response {
        let head = request.head
        // Comes before the first comparison: those are what takes long.
        guard !self.exceedsMarks(head) else {
            return .plain(.badRequest, "More than \(self.marks) combining marks in a row; leave some out.\n")
        }
        // A second Host would be among the fields: the first is the authority.
        guard self.hosts.allows(head.authority), !head.headerFields.contains(where: { $0.name.canonicalName == "host" })
        else {
            return .plain(
                .misdirectedRequest,
                "This Host is not served. Use an address or localhost, or allow the name (--allow-host).\n"
            )
        }
        guard let path = head.path, path.hasPrefix("/") else {
            return .plain(.badRequest, "A path begins with a slash.\n")
        }
        if let page, PageRequestHandler.answers(path) {
            return try await page.respond(to: request, path: path)
        }
        return try await self.services.respond(to: request, path: path, on: context.channel)
    }

    private func exceedsMarks(_ head: HTTPRequest) -> Bool {
        [head.path, head.authority].contains { $0.map { CombiningMarks.exceed(self.marks, in: $0) } ?? false }
            || head.headerFields.contains { CombiningMarks.exceed(self.marks, in: $0.value) }
    }
}

extension Response {
    /// An answer that is text for people.
    static func plain(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/plain; charset=utf-8", .connection: "close"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
#endif
