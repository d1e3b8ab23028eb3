// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A route of the Infobip Mobile API; the ids are those of the path.
enum InfobipRoute: Sendable, Hashable {
    /// Registers an installation.
    case createInstallation
    /// Fetches an installation.
    case fetchInstallation(String)
    /// Changes the caller's installation, or another of the same person.
    case updateInstallation(String)
    /// Ends a registration that a newer one has replaced.
    case expireInstallation(String)
    /// Fetches the person of an installation, with all their installations.
    case fetchUser(String)
    /// Changes the person of an installation.
    case updateUser(String)
    /// Assigns an installation to a person.
    case personalize(String, PersonalizeOptions)
    /// Depersonalizes the caller's installation, or another of the same person.
    case depersonalize(String)
    /// Sends custom events, checked against their definitions or not.
    case customEvents(String, isValidated: Bool)
    /// Reports sessions.
    case sessionReports(String)
    /// Asks for the address to use from now on.
    case baseURL

    /// The options of a personalize.
    struct PersonalizeOptions: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        /// Depersonalizes the installation first.
        static let forceDepersonalize = Self(rawValue: 1)
        /// Keeps a lead a lead.
        static let keepAsLead = Self(rawValue: 2)
        /// Makes the installation the primary one.
        static let setDeviceAsPrimary = Self(rawValue: 4)
    }

    /// The name for errors, observers and throttling.
    var name: String {
        switch self {
        case .createInstallation: "createInstallation"
        case .fetchInstallation: "fetchInstallation"
        case .updateInstallation: "updateInstallation"
        case .expireInstallation: "expireInstallation"
        case .fetchUser: "fetchUser"
        case .updateUser: "updateUser"
        case .personalize: "personalize"
        case .depersonalize: "depersonalize"
        case .customEvents: "customEvents"
        case .sessionReports: "sessionReports"
        case .baseURL: "baseURL"
        }
    }

    /// The HTTP method.
    var method: TransportRequest.Method {
        switch self {
        case .fetchInstallation, .fetchUser, .baseURL: .get
        case .updateInstallation, .updateUser: .patch
        case .expireInstallation: .delete
        default: .post
        }
    }

    /// The id in the path; nil where there is none.
    var registration: String? {
        switch self {
        case .createInstallation, .baseURL: nil
        case .fetchInstallation(let id), .updateInstallation(let id), .expireInstallation(let id), .fetchUser(let id),
            .updateUser(let id), .personalize(let id, _), .depersonalize(let id),
            .customEvents(let id, _), .sessionReports(let id):
            id
        }
    }

    /// The path below the base URL of the service; an id in it must satisfy ``isIdentifier(_:)``.
    var path: String {
        self.path(of: self.registration)
    }

    /// The path with a name in place of the id, for reports.
    var template: String {
        self.path(of: self.registration.map { _ in "{registration}" })
    }

    private func path(of registration: String?) -> String {
        guard self != .baseURL else { return "/mobile/1/baseurl" }
        let end =
            switch self {
            case .baseURL, .createInstallation, .fetchInstallation, .updateInstallation, .expireInstallation: ""
            case .fetchUser, .updateUser: "/user"
            case .personalize: "/personalize"
            case .depersonalize: "/depersonalize"
            case .customEvents: "/user/events/custom"
            case .sessionReports: "/user/events/session"
            }
        return "/mobile/1/appinstance" + (registration.map { "/" + $0 } ?? "") + end
    }

    /// The items of the query, in alphabetical order of their names.
    ///
    /// `ri` asks the service to return installations, `rt` push tokens.
    var query: [(name: String, value: Bool)] {
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
                ("forceDepersonalize", options.contains(.forceDepersonalize)),
                ("keepAsLead", options.contains(.keepAsLead)),
                ("setDeviceAsPrimary", options.contains(.setDeviceAsPrimary)),
            ]
        case .customEvents(_, let isValidated):
            [("validate", isValidated)]
        default:
            []
        }
    }

    /// True if a token may replace the application code.
    var takesToken: Bool {
        switch self {
        case .fetchUser, .updateUser, .personalize: true
        default: false
        }
    }

    /// True if the service may receive a request twice without harm: fetches only, as events have no id.
    var isRepeatable: Bool {
        switch self {
        case .fetchInstallation, .fetchUser, .baseURL: true
        default: false
        }
    }

    /// True if a successful answer must have a body.
    var wantsData: Bool {
        switch self {
        case .createInstallation, .fetchInstallation, .fetchUser, .personalize, .baseURL: true
        default: false
        }
    }

    /// True if a text can stand in a path as it is.
    ///
    /// It may have letters, digits, `-`, `.`, `_` and `~`, but not dots alone.
    static func isIdentifier(_ text: String) -> Bool {
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
