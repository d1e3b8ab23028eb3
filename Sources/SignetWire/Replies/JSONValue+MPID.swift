// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension JSONValue {
    /// The value as an MPID; nil if it is none.
    ///
    /// The platform writes a text; some of its parts write a number, which must be whole and fit 64 bits.
    var mpid: MPID? {
        switch self {
        case .string(let text): MPID(text)
        case .number(let number): number.int64.flatMap(MPID.init(rawValue:))
        case .null, .bool, .array, .object: nil
        }
    }
}
