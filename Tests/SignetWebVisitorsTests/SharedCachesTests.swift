// SPDX-License-Identifier: Apache-2.0

import SignetWebVisitors
import Testing

@Suite struct SharedCachesTests {
    @Test(arguments: [
        "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Surrogate-Control", "Edge-Control", "X-Accel-Expires",
        "cdn-cache-control", "Vercel-CDN-Cache-Control", "Netlify-CDN-Cache-Control", "X-LiteSpeed-Cache-Control",
    ]) func aFieldThatSharedCachesFollowFirstIsKnown(name: String) {
        #expect(WebVisit.overridesCacheControl(name))
    }

    @Test(arguments: [
        "Cache-Control", "Expires", "Pragma", "Surrogate-Key", "Cache-Tag", "X-Accel-Buffering", "Set-Cookie",
    ])
    func aFieldThatYieldsToCacheControlStays(name: String) {
        #expect(!WebVisit.overridesCacheControl(name))
    }
}
