//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// One thing that a request can ask of Infobip (Infobip Mobile API); ids are those of the path.
package enum InfobipRoute: Sendable, Hashable {
    /// To register an installation.
    case createInstallation
    /// An installation.
    case fetchInstallation(String)
    /// To change an installation, one's own or another of the same person.
    case updateInstallation(String)
    /// To end a registration that a newer one has taken the place of.
    case expireInstallation(String)
    /// The person of an installation, with all its installations.
    case fetchUser(String)
    /// To change the person of an installation.
    case updateUser(String)
    /// To say whose an installation is.
    case personalize(String, PersonalizeOptions)
    /// To make an installation nobody's, one's own or another of the same person.
    case depersonalize(String)
    /// To say again whose a lost installation was.
    case repersonalize(String)
    /// To take custom events; checked against their definitions or not.
    case customEvents(String, isValidated: Bool)
    /// To take reports of sessions.
    case sessionReports(String)
    /// The address to use from now on.
    case baseURL

    /// How an installation becomes somebody's.
    package struct PersonalizeOptions: Sendable, Hashable {
        /// Whether it is made nobody's first.
        package var forceDepersonalize: Bool
        /// Whether a lead stays one.
        package var keepAsLead: Bool
        /// Whether it becomes the primary one.
        package var setDeviceAsPrimary: Bool

        package init(forceDepersonalize: Bool = false, keepAsLead: Bool = false, setDeviceAsPrimary: Bool = false) {
            self.forceDepersonalize = forceDepersonalize
            self.keepAsLead = keepAsLead
            self.setDeviceAsPrimary = setDeviceAsPrimary
        }
    }

    /// The name for errors, observers and throttling.
    package var name: String {
        switch self {
        case .createInstallation: "createInstallation"
        case .fetchInstallation: "fetchInstallation"
        case .updateInstallation: "updateInstallation"
        case .expireInstallation: "expireInstallation"
        case .fetchUser: "fetchUser"
        case .updateUser: "updateUser"
        case .personalize: "personalize"
        case .depersonalize: "depersonalize"
        case .repersonalize: "repersonalize"
        case .customEvents: "customEvents"
        case .sessionReports: "sessionReports"
        case .baseURL: "baseURL"
        }
    }

    /// The HTTP method.
    package var method: TransportRequest.Method {
        switch self {
        case .fetchInstallation, .fetchUser, .baseURL: .get
        case .updateInstallation, .updateUser: .patch
        case .expireInstallation: .delete
        default: .post
        }
    }

    /// The id in the path; nil where there is none.
    package var registration: String? {
        switch self {
        case .createInstallation, .baseURL: nil
        case .fetchInstallation(let id), .updateInstallation(let id), .expireInstallation(let id), .fetchUser(let id),
            .updateUser(let id), .personalize(let id, _), .depersonalize(let id), .repersonalize(let id),
            .customEvents(let id, _), .sessionReports(let id):
            id
        }
    }

    /// The path below the base URL of the service; an id in it must be one that ``isIdentifier(_:)``.
    package var path: String {
        guard self != .baseURL else { return "/mobile/1/baseurl" }
        let end =
            switch self {
            case .baseURL, .createInstallation, .fetchInstallation, .updateInstallation, .expireInstallation: ""
            case .fetchUser, .updateUser: "/user"
            case .personalize: "/personalize"
            case .depersonalize: "/depersonalize"
            case .repersonalize: "/repersonalize"
            case .customEvents: "/user/events/custom"
            case .sessionReports: "/user/events/session"
            }
        return "/mobile/1/appinstance" + (self.registration.map { "/" + $0 } ?? "") + end
    }

    /// The items of the query, by their names in alphabetical order: whether instances (`ri`) and push tokens (`rt`) are to
    /// come back, and the rest.
    package var query: [(name: String, value: Bool)] {
        switch self {
        case .createInstallation, .fetchInstallation:
            [("rt", true)]
        case .updateInstallation:
            [("rt", false)]
        case .fetchUser:
            [("ri", true), ("rt", false)]
        case .updateUser:
            [("ri", false), ("rt", false)]
        case .personalize(_, let options):
            [
                ("forceDepersonalize", options.forceDepersonalize), ("keepAsLead", options.keepAsLead),
                ("setDeviceAsPrimary", options.setDeviceAsPrimary),
            ]
        case .customEvents(_, let isValidated):
            [("validate", isValidated)]
        default:
            []
        }
    }

    /// Whether a token may stand in the place of the application code.
    package var takesToken: Bool {
        switch self {
        case .fetchUser, .updateUser, .personalize: true
        default: false
        }
    }

    /// Whether an answer without a body is no answer.
    package var wantsData: Bool {
        switch self {
        case .createInstallation, .fetchInstallation, .fetchUser, .personalize, .baseURL: true
        default: false
        }
    }

    /// Whether a text can stand in a path as it is: letters, digits, `-`, `.`, `_` and `~`, and not dots alone.
    package static func isIdentifier(_ text: String) -> Bool {
        text.utf8.contains { $0 != UInt8(ascii: ".") }
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "-._~".utf8.contains(byte)
                }
            }
    }
}
