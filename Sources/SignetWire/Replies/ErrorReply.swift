// SPDX-License-Identifier: Apache-2.0

import SignetTransport

package import struct SignetModel.PlatformError

/// The errors of a refused request.
package struct ErrorReply: Sendable, Hashable {
    /// The maximum number of errors that are taken from one answer.
    package static let maximumCount = 32

    /// The reasons, in the order of the answer; empty when the body has none that is readable.
    package let errors: [PlatformError]

    /// Reads the body of an unsuccessful answer.
    ///
    /// Two forms are in use: `{"errors":[{"code","message"}]}`, and `{"code","message"}` flat. A body of another form
    /// is not a second failure: the status already reports that the request failed.
    package static func read(_ bytes: [UInt8]) -> ErrorReply {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes)
        } catch {
            return ErrorReply(errors: [])
        }
        let entries = value["errors"]?.array ?? [value]
        return ErrorReply(errors: Array(entries.lazy.compactMap(Self.platformError).prefix(Self.maximumCount)))
    }

    private static func platformError(_ entry: JSONValue) -> PlatformError? {
        let code = entry["code"].flatMap { $0.string ?? $0.number?.text }
        let message = entry["message"]?.string
        guard code != nil || message != nil else { return nil }
        return PlatformError(code: PlainText.cleaned(code ?? ""), message: PlainText.cleaned(message ?? ""))
    }
}
