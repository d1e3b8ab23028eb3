// SPDX-License-Identifier: Apache-2.0

extension VisitorRequest {
    /// The purpose of a request, as far as its head says.
    ///
    /// Any client can send anything here. A kind only keeps a request from making a visitor; a signed cookie alone opens one.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A page, a form of this site, or a call of its scripts.
        case page
        /// A request with which browsers send no `SameSite=Lax` cookie, or may send none.
        ///
        /// 3-D Secure and SAML come back with a form that another site posts. A page in a frame of another site gets no cookie,
        /// and can set none: each click in it would be a new visitor. The request does not say whose frame it is.
        /// A visitor may have a cookie that does not come along, and a new one would replace it.
        case cookieWithheld
        /// `HEAD`, `OPTIONS` or `TRACE`.
        case probe
        /// A page that the browser or a script fetches ahead, and may never show.
        case prefetch
        /// An image, a style, a script, a font or the like.
        case asset
    }

    /// The kind of this request; the first that holds of probe, prefetch, withheld, asset, page.
    public var kind: Kind {
        if ["HEAD", "OPTIONS", "TRACE"].contains(self.method) { return .probe }
        if self.isPrefetch { return .prefetch }
        if self.isCookieWithheld { return .cookieWithheld }
        return self.isAsset ? .asset : .page
    }

    /// `Sec-Purpose` of browsers, its older names, and the names of scripts and apps, which may not set `Sec-Purpose` themselves.
    private var isPrefetch: Bool {
        let isAhead = Self.purposeFields.contains { name in
            self.values(of: name).contains { value in
                let purpose = value.prefix(64).lowercased()
                return Self.purposesAhead.contains { purpose.contains($0) }
            }
        }
        return isAhead
            || Self.prefetchFlags.contains { name in
                self.values(of: name).contains { !["", "0", "false"].contains($0.lowercased()) }
            }
    }

    /// Turbo sends `X-Sec-Purpose`; Safari and browsers inside of apps send `X-Purpose`.
    private static let purposeFields = ["Sec-Purpose", "X-Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"]
    private static let purposesAhead = ["prefetch", "prerender", "preview"]
    /// The fields of Next.js and htmx.
    private static let prefetchFlags = ["Next-Router-Prefetch", "HX-Preloaded"]

    // Browsers send a Lax cookie from another site only with a navigation of the whole window by a safe method. Of the methods
    // that get here, GET alone is safe. Sec-Fetch fields need https; without them, the Origin of a form tells.
    private var isCookieWithheld: Bool {
        // A link inside a frame is `same-origin`, whatever the site around it; the browser goes by the site of the window.
        if let destination = self["Sec-Fetch-Dest"], Self.frameDestinations.contains(destination) { return true }
        guard let site = self["Sec-Fetch-Site"] else { return self.method != "GET" && self.isOriginForeign }
        guard site == "cross-site" else { return false }
        return self.method != "GET" || self["Sec-Fetch-Mode"] != "navigate" || self["Sec-Fetch-Dest"] != "document"
    }

    /// True if the `Origin` is there and names no host of ours, whatever its default port; `null` hides which, and counts as foreign.
    private var isOriginForeign: Bool {
        guard let origin = self["Origin"] else { return false }
        guard let host = self["Host"], let end = origin.firstRange(of: "://") else { return true }
        let ports = origin.hasPrefix("http://") ? [80] : [443]
        let authority = Self.authority(origin[end.upperBound...], without: ports)
        // The Host field names no scheme, and a proxy may speak http to us while the browser speaks https to it.
        return !Self.isSame(authority.utf8, Self.authority(host[...], without: [80, 443]).utf8)
    }

    /// A host with its port, but for a default one.
    private static func authority(_ text: Substring, without ports: [Int]) -> String {
        let port = ports.map { ":\($0)" }.first { text.hasSuffix($0) }
        return String(text.dropLast(port?.count ?? 0))
    }

    private var isAsset: Bool {
        if let destination = self["Sec-Fetch-Dest"] { return Self.assetDestinations.contains(destination) }
        let name = self.path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), name.count - dot <= 12 else { return false }
        return Self.assetEndings.contains(String(decoding: name[(dot + 1)...].map(Self.lower), as: UTF8.self))
    }

    private static let frameDestinations: Set<String> = ["embed", "fencedframe", "frame", "iframe", "object"]

    private static let assetDestinations: Set<String> = [
        "audio", "audioworklet", "font", "image", "manifest", "paintworklet", "script", "serviceworker", "sharedworker",
        "style", "track", "video", "worker", "xslt",
    ]

    private static let assetEndings: Set<String> = [
        "avif", "bmp", "css", "eot", "gif", "ico", "jpeg", "jpg", "js", "map", "mjs", "mp3", "mp4", "ogg", "otf", "pdf",
        "png", "svg", "ttf", "txt", "wasm", "webm", "webmanifest", "webp", "woff", "woff2", "xml", "zip",
    ]
}
