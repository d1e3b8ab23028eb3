// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The answers to identity requests (IDSync HTTP API, responses; `is_logged_in` as recorded).
enum IdentityAnswer {
    static func resolved(
        _ resolution: IdentityRequestHandler.Resolution,
        context: String,
        isEphemeral: Bool,
        returnsMatches: Bool
    ) -> TransportResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("context", context)
        if returnsMatches {
            writer.key("matched_identities")
            writer.beginObject()
            for (type, value) in resolution.matched.sorted(by: { $0.key < $1.key }) {
                writer.member(type.wireName, value)
            }
            writer.endObject()
        }
        writer.member("is_ephemeral", isEphemeral)
        writer.member("mpid", resolution.mpid.description)
        writer.member("is_logged_in", resolution.isKnown)
        writer.endObject()
        var response = TransportResponse(json: writer.bytes)
        response.headers.append(name: "X-MP-Max-Age", value: "86400")
        return response
    }

    static func modified(_ results: [IdentityRequestHandler.ChangeResult]) -> TransportResponse {
        let changes = results.map { result -> JSONValue in
            [
                "identity_type": .string(result.type.wireName), "modified_mpid": .string(result.modified.description),
            ]
        }
        return TransportResponse(json: (["change_results": .array(changes)] as JSONValue).encoded())
    }

    /// Returns an opaque context that differs for each number.
    static func context(number: Int) -> String {
        Base64.encode(Array("emulated context \(number)".utf8))
    }
}
