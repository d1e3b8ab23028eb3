// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.Secret

/// The application that a request is for, identified by its code.
struct InfobipApplication: Sendable, Hashable {
    /// The application code.
    let code: Secret

    init(code: Secret) {
        self.code = code
    }

    /// The header `applicationcode`: the first ten hexadecimal digits of the code's SHA-256.
    var hash: String {
        let bytes = self.code.withExposed { SHA256.hash(Array($0.utf8)) }
        return Hexadecimal.encode(Array(bytes.prefix(5)))
    }
}
