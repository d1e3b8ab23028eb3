// SPDX-License-Identifier: Apache-2.0

#if Tool
/// A file of the live page; they are embedded in the program.
struct PageFile: Sendable {
    let type: String
    let bytes: [UInt8]

    init?(path: String) {
        let (type, bytes): (String, [UInt8])
        switch path {
        case "/": (type, bytes) = ("text/html", PackageResources.page_html)
        case "/_signet/page.js": (type, bytes) = ("text/javascript", PackageResources.page_js)
        case "/_signet/parts.js": (type, bytes) = ("text/javascript", PackageResources.parts_js)
        case "/_signet/page.css": (type, bytes) = ("text/css", PackageResources.page_css)
        default: return nil
        }
        self.type = type + "; charset=utf-8"
        self.bytes = bytes
    }
}
#endif
