// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CRYPTO
import Testing

@testable import SignetTransport

/// Two implementations agree: our own, and that of swift-crypto.
@Suite struct CryptoTests {
    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 119, 128, 1000])
    func bothHashAndSignAlike(count: Int) {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        #expect(SHA256.hash(message) == SHA256.ownHash(message))
        for length in [0, 1, 63, 64, 65, 200] {
            let key = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 11) }
            #expect(
                HMACSHA256.authenticationCode(for: message, key: key) == HMACSHA256.ownCode(for: message, key: key)
            )
        }
    }
}
#endif
