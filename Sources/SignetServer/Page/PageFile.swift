// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// A file of the live page; they are embedded in the program.
struct PageFile: Sendable {
    let type: String
    let bytes: [UInt8]

    init?(path: String) {
        let (type, bytes): (String, [UInt8])
        switch path {
        case "/": (type, bytes) = ("text/html", PackageResources.page_html)
        case "/_signet/page.css": (type, bytes) = ("text/css", PackageResources.page_css)
        case "/_signet/address.js": (type, bytes) = ("text/javascript", PackageResources.address_js)
        case "/_signet/canvas.js": (type, bytes) = ("text/javascript", PackageResources.canvas_js)
        case "/_signet/copy.js": (type, bytes) = ("text/javascript", PackageResources.copy_js)
        case "/_signet/criteria.js": (type, bytes) = ("text/javascript", PackageResources.criteria_js)
        case "/_signet/details.js": (type, bytes) = ("text/javascript", PackageResources.details_js)
        case "/_signet/events.js": (type, bytes) = ("text/javascript", PackageResources.events_js)
        case "/_signet/faults.js": (type, bytes) = ("text/javascript", PackageResources.faults_js)
        case "/_signet/kinds.js": (type, bytes) = ("text/javascript", PackageResources.kinds_js)
        case "/_signet/page.js": (type, bytes) = ("text/javascript", PackageResources.page_js)
        case "/_signet/parts.js": (type, bytes) = ("text/javascript", PackageResources.parts_js)
        case "/_signet/people.js": (type, bytes) = ("text/javascript", PackageResources.people_js)
        case "/_signet/profile.js": (type, bytes) = ("text/javascript", PackageResources.profile_js)
        case "/_signet/rate.js": (type, bytes) = ("text/javascript", PackageResources.rate_js)
        case "/_signet/requests.js": (type, bytes) = ("text/javascript", PackageResources.requests_js)
        case "/_signet/status.js": (type, bytes) = ("text/javascript", PackageResources.status_js)
        case "/_signet/story.js": (type, bytes) = ("text/javascript", PackageResources.story_js)
        case "/_signet/timeline.js": (type, bytes) = ("text/javascript", PackageResources.timeline_js)
        default: return nil
        }
        self.type = type + "; charset=utf-8"
        self.bytes = bytes
    }
}
#endif
