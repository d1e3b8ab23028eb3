// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CRYPTO
import Crypto
#endif

/// The keyed hash HMAC (RFC 2104) with SHA-256.
package enum HMACSHA256 {
    /// Signs a message.
    ///
    /// - Returns: 32 bytes; compare them with ``ConstantTime``.
    package static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        #if SIGNET_CRYPTO
        Array(HMAC<Crypto.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        #else
        Self.ownCode(for: message, key: key)
        #endif
    }

    /// Signs a message without swift-crypto.
    static func ownCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > SHA256.blockLength ? SHA256.hash(key) : key
        block += [UInt8](repeating: 0, count: SHA256.blockLength - block.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 } + message)
        return SHA256.hash(block.map { $0 ^ 0x5C } + inner)
    }
}
