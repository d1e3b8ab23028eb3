// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// Fixed values that tests of several modules share.
package enum Samples {
    package static let milliseconds: Int64 = 1_700_000_000_000

    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    package static func headers(_ fields: (String, String)...) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in fields {
            headers.append(name: name, value: value)
        }
        return headers
    }
}
