// SPDX-License-Identifier: Apache-2.0

#if Tool
/// The files of the live page, which are embedded in the program.
enum PageFile: Sendable {
    case markup
    case script
    case parts
    case style

    init?(path: String) {
        switch path {
        case "/": self = .markup
        case "/_signet/page.js": self = .script
        case "/_signet/parts.js": self = .parts
        case "/_signet/page.css": self = .style
        default: return nil
        }
    }

    var type: String {
        switch self {
        case .markup: "text/html; charset=utf-8"
        case .script, .parts: "text/javascript; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .markup: PackageResources.page_html
        case .script: PackageResources.page_js
        case .parts: PackageResources.parts_js
        case .style: PackageResources.page_css
        }
    }
}
#endif
