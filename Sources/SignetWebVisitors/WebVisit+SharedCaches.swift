// SPDX-License-Identifier: Apache-2.0

extension WebVisit {
    /// True for a field of an answer that shared caches follow in place of `Cache-Control`.
    ///
    /// A cache that has such a field ignores `Cache-Control: private` (RFC 9213, section 2.2), and could give the cookie of one visitor
    /// to others. Remove these fields from an answer with ``setCookie``.
    ///
    /// These are `CDN-Cache-Control` and each other name that ends with `-Cache-Control`, such as `Cloudflare-CDN-Cache-Control`;
    /// `Surrogate-Control`, `Edge-Control`, and `X-Accel-Expires` of nginx. `Expires` yields to `Cache-Control` and may stay.
    ///
    /// - Parameter name: The name of a field; its case does not count.
    /// - Returns: True if an answer with a visitor's cookie must not have it.
    public static func overridesCacheControl(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix("-cache-control") || Self.namesForSharedCaches.contains(name)
    }

    private static let namesForSharedCaches: Set<String> = ["surrogate-control", "edge-control", "x-accel-expires"]
}
