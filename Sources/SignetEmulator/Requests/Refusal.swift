// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A refusal of a request: the status and the content of the error body.
///
/// Messages name members and rules, never the values of a request.
struct Refusal: Error, Sendable, Hashable {
    let status: Int
    let code: String
    let message: String

    static func badRequest(_ message: String) -> Refusal {
        Refusal(status: 400, code: "BAD_REQUEST", message: message)
    }

    /// The request does not identify a profile.
    static func lookupFailed(_ message: String) -> Refusal {
        Refusal(status: 400, code: "LOOKUP_ERROR", message: message)
    }

    static func unauthorized(_ message: String) -> Refusal {
        Refusal(status: 401, code: "UNAUTHORIZED", message: message)
    }

    static func forbidden(_ message: String) -> Refusal {
        Refusal(status: 403, code: "FORBIDDEN", message: message)
    }

    static func notFound(_ message: String) -> Refusal {
        Refusal(status: 404, code: "NOT_FOUND", message: message)
    }

    static func methodNotAllowed(_ message: String) -> Refusal {
        Refusal(status: 405, code: "METHOD_NOT_ALLOWED", message: message)
    }
}

extension Refusal {
    /// Makes the answer to the client.
    ///
    /// The body is `{"errors":[{"code","message"}]}`, for alias `{"code","message"}` alone (IDSync HTTP API; the platform's own
    /// client reads the alias form). Iterable's and Infobip's APIs have forms of their own.
    func response(to route: EmulatorRoute?) -> TransportResponse {
        var response =
            if route?.isIterable == true {
                TransportResponse(iterable: self)
            } else if route?.isInfobip == true {
                TransportResponse(infobip: self)
            } else {
                self.platformResponse(to: route)
            }
        if self.status == 405 {
            response.headers.append(name: "Allow", value: (route?.method ?? .post).rawValue)
        }
        return response
    }

    private func platformResponse(to route: EmulatorRoute?) -> TransportResponse {
        var writer = JSONWriter()
        if route != .alias {
            writer.beginObject()
            writer.key("errors")
            writer.beginArray()
        }
        writer.beginObject()
        writer.member("code", self.code)
        writer.member("message", self.message)
        writer.endObject()
        if route != .alias {
            writer.endArray()
            writer.endObject()
        }
        return TransportResponse(json: writer.bytes, status: self.status)
    }
}

extension TransportResponse {
    /// Makes an answer with a JSON body.
    init(json body: [UInt8], status: Int = 200) {
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "application/json; charset=utf-8")
        self.init(status: status, headers: headers, body: body)
    }
}
