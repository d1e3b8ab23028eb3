// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension EmulatorRoute {
    /// The routes of Infobip's API.
    static let infobip: Set<EmulatorRoute> = [
        .createInstallation, .fetchInstallation, .updateInstallation, .expireInstallation, .fetchPerson, .updatePerson,
        .personalize, .depersonalize, .repersonalize, .customEvents, .sessionReports, .baseURL,
    ]

    /// True for the routes of Infobip's API.
    var isInfobip: Bool {
        Self.infobip.contains(self)
    }

    /// True for exactly three calls, which accept a token in place of the application code.
    var takesToken: Bool {
        self == .personalize || self == .updatePerson || self == .fetchPerson
    }

    /// The names of the boolean query items of the route.
    var flags: [String] {
        switch self {
        case .createInstallation, .fetchInstallation, .updateInstallation: ["rt"]
        case .fetchPerson, .updatePerson: ["ri", "rt"]
        case .personalize: ["forceDepersonalize", "keepAsLead", "setDeviceAsPrimary"]
        case .customEvents: ["validate"]
        default: []
        }
    }

    /// Returns the route of a path of Infobip's API: the one with the request's method, else the first.
    static func infobip(_ segments: [Substring], method: TransportRequest.Method) -> EmulatorRoute? {
        guard segments.count > 2, segments[0] == "mobile", segments[1] == "1" else { return nil }
        if segments[2...] == ["baseurl"] {
            return .baseURL
        }
        guard segments[2] == "appinstance", segments.count == 3 || segments.count > 3 && !segments[3].isEmpty else {
            return nil
        }
        let routes: [EmulatorRoute] =
            switch segments.dropFirst(4).joined(separator: "/") {
            case "" where segments.count == 3: [.createInstallation]
            case "" where segments.count == 4: [.fetchInstallation, .updateInstallation, .expireInstallation]
            case "user": [.fetchPerson, .updatePerson]
            case "personalize": [.personalize]
            case "depersonalize": [.depersonalize]
            case "repersonalize": [.repersonalize]
            case "user/events/custom": [.customEvents]
            case "user/events/session": [.sessionReports]
            default: []
            }
        return routes.first { $0.method == method } ?? routes.first
    }
}
