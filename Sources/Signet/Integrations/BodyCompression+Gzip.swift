// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import CSignetDeflate
import SignetWire

extension SignetConfiguration.Events.Compression {
    /// As gzip (`Content-Encoding: gzip`), with the fastest level of zlib.
    ///
    /// Any transport can carry it; it exists under the traits `Server` and `AsyncHTTPClientTransport`, with zlib.
    public static let gzip = SignetConfiguration.Events.Compression.gzip(level: 1)

    /// As gzip (`Content-Encoding: gzip`).
    ///
    /// - Parameter level: From 1, the fastest, to 9, the smallest; a level outside is clamped.
    /// - Returns: The compression.
    public static func gzip(level: Int) -> SignetConfiguration.Events.Compression {
        let level = Int32(min(max(level, 1), 9))
        return SignetConfiguration.Events.Compression(
            encoder: BodyEncoder(contentEncoding: "gzip") { Self.compress($0, level: level) }
        )
    }

    private static func compress(_ body: [UInt8], level: Int32) -> [UInt8] {
        let capacity = csignet_gzip_bound(body.count)
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = csignet_gzip(body, body.count, buffer.baseAddress, capacity, level)
        }
    }
}
#endif
