// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Signet

/// A page of the shop as HTML.
struct Page: ResponseGenerator {
    let title: String
    /// Nil for who is not followed: the shop is open to them, too.
    let visitor: Installation?
    let body: String

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let html = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(Self.escaped(self.title))</title>
            <h1>\(Self.escaped(self.title))</h1>
            \(self.account)
            \(self.body)
            \(self.farewell)
            </html>
            """
        return Response(
            status: .ok,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    private var account: String {
        guard let user = self.visitor?.currentUser, let customer = user.identities[.customerID]?.value else {
            return """
                <form method="post" action="/login"><label>Customer <input name="customer" required></label>
                <button>Log in</button></form>
                """
        }
        return """
            <p>Hello, \(Self.escaped(customer))</p><form method="post" action="/logout"><button>Log out</button></form>
            """
    }

    private var farewell: String {
        guard self.visitor != nil else { return "" }
        return #"<form method="post" action="/forget"><button>Forget this device</button></form>"#
    }

    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { html, character in
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.append(character)
            }
        }
    }
}
