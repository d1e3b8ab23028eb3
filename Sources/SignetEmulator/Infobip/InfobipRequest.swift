// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A request of Infobip's API, read without the state of the application.
struct InfobipRequest: Sendable {
    let route: EmulatorRoute
    let headers: HTTPHeaders
    /// The id in the path; empty if there is none.
    let target: String
    /// The call, or the reason for its refusal; an authorization error is reported first.
    let call: Result<InfobipCall, Refusal>
    /// The body, if it is JSON.
    let body: JSONValue?
    /// The deviations from the documentation; no request is refused for them.
    let faults: [String]

    init(
        _ request: TransportRequest,
        route: EmulatorRoute,
        target: RequestTarget,
        limits: EmulatorLimits,
        lists: ListAttributes?
    ) {
        let id = target.segments.count > 3 ? String(target.segments[3]) : ""
        self.route = route
        self.headers = request.headers
        self.target = id
        self.faults = Self.faults(in: request.headers) + Self.faults(in: target, of: route, body: request.body)
        var body: JSONValue?
        do throws(Refusal) {
            let flags = try Self.flags(of: target, route)
            if route.hasBody {
                body = try RequestBody.read(request, limit: limits.infobipRequestBytes, limits: limits)
            }
            self.call = .success(try InfobipCall(body ?? .null, of: route, id: id, flags: flags, lists: lists))
        } catch {
            self.call = .failure(error.renamed("REQUEST_FORMAT_INVALID"))
        }
        self.body = body
    }

    /// The registration that sends the request.
    var registration: String? {
        self.only("pushregistrationid")
    }

    /// Returns the value of a header that occurs exactly once.
    func only(_ name: String) -> String? {
        let values = self.headers.values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// Reads the flags; the clients spell them as numbers or words, and the service accepts both.
    private static func flags(of target: RequestTarget, _ route: EmulatorRoute) throws(Refusal) -> [String: Bool] {
        var flags: [String: Bool] = [:]
        for (name, value) in target.query where route.flags.contains(String(name)) {
            switch value {
            case "1", "true": flags[String(name)] = true
            case "0", "false": flags[String(name)] = false
            default: throw .formatInvalid(String(name), shouldBe: "a boolean")
            }
        }
        return flags
    }

    private static func faults(in headers: HTTPHeaders) -> [String] {
        let rules: [(name: String, holds: (String) -> Bool)] = [
            ("Accept", { $0.lowercased().hasPrefix("application/json") }),
            ("Content-Type", { $0.lowercased().hasPrefix("application/json") }),
            ("User-Agent", { !$0.isEmpty && $0.utf8.allSatisfy { (0x20...0x7F).contains($0) } }),
            ("foreground", { $0 == "true" || $0 == "false" }),
            ("installationid", { !$0.isEmpty }),
        ]
        var faults = rules.filter { rule in
            let values = headers.values(of: rule.name)
            return values.count != 1 || !values.allSatisfy(rule.holds)
        }.map(\.name)
        // The session header is optional; its value consists of the registration and the start.
        let sessions = headers.values(of: "sessionId")
        let registration = headers["pushregistrationid"] ?? ""
        let isRight = sessions.allSatisfy { session in
            session.hasPrefix(registration + "_") && Int64(session.dropFirst(registration.count + 1)) != nil
        }
        if sessions.count > 1 || !isRight {
            faults.append("sessionId")
        }
        return faults
    }

    private static func faults(in target: RequestTarget, of route: EmulatorRoute, body: [UInt8]) -> [String] {
        let names = target.query.map { String($0.name) }
        var faults = route.flags.sorted().filter { flag in names.count { $0 == flag } != 1 }
        faults += names.filter { !route.flags.contains($0) }
        if !route.hasBody, !body.isEmpty {
            faults.append("body")
        }
        return faults.map { "query or body: " + $0 }
    }
}

extension EmulatorRoute {
    /// True for the routes of Infobip's API whose requests have a body.
    var hasBody: Bool {
        switch self {
        case .fetchInstallation, .expireInstallation, .fetchPerson, .depersonalize, .baseURL: false
        default: true
        }
    }
}

/// A call of Infobip's API, checked as far as possible without the state of the application.
enum InfobipCall: Sendable {
    /// The parameters of a personalization.
    struct Personalization: Sendable {
        let identity: InfobipPersonIdentity
        let fields: InfobipPersonFields?
        var options: Options = []
    }

    /// What a personalization does beside naming the person, by the flags of its query.
    struct Options: OptionSet, Sendable {
        static let forces = Options(rawValue: 1)
        static let keepsAsLead = Options(rawValue: 2)
        static let becomesPrimary = Options(rawValue: 4)

        let rawValue: Int

        init(rawValue: Int) {
            self.rawValue = rawValue
        }

        init(_ flags: [String: Bool]) {
            let all: [(String, Options)] = [
                ("forceDepersonalize", .forces), ("keepAsLead", .keepsAsLead), ("setDeviceAsPrimary", .becomesPrimary),
            ]
            self = all.reduce(into: []) { options, flag in if flags[flag.0] == true { options.insert(flag.1) } }
        }
    }

    case baseURL
    case register(InstallationFields)
    case fetchInstallation(returnsToken: Bool)
    case updateInstallation(InstallationFields, names: [String])
    case expire
    case fetchPerson(returnsInstallations: Bool, returnsTokens: Bool)
    case updatePerson(InfobipPersonFields)
    case personalize(Personalization)
    case repersonalize(Personalization)
    case depersonalize
    case events([EmulatedInfobipEvent], isValidated: Bool)
    case sessions(SessionReport)

    private static let personalizeMembers: Set<String> = ["userIdentity", "userAttributes"]

    /// Reads a request; `id` is the id in its path.
    init(
        _ body: JSONValue,
        of route: EmulatorRoute,
        id: String,
        flags: [String: Bool],
        lists: ListAttributes?
    ) throws(Refusal) {
        switch route {
        case .createInstallation:
            // A registration needs a push token; a client without one must wait.
            let fields = try InstallationFields(body, of: nil, lists: lists)
            guard fields.members["pushServiceType"]?.string != nil else { throw .invalidCloudType }
            guard fields.members["pushServiceToken"]?.string?.isEmpty == false else {
                throw .formatInvalid("pushServiceToken", shouldBe: "a string that is not empty")
            }
            self = .register(fields)
        case .fetchInstallation:
            self = .fetchInstallation(returnsToken: flags["rt"] ?? false)
        case .updateInstallation:
            let fields = try InstallationFields(body, of: id, lists: lists)
            self = .updateInstallation(fields, names: body.object?.keys ?? [])
        case .expireInstallation:
            self = .expire
        case .fetchPerson:
            self = .fetchPerson(returnsInstallations: flags["ri"] ?? false, returnsTokens: flags["rt"] ?? false)
        case .updatePerson:
            self = .updatePerson(try InfobipPersonFields(change: body, lists: lists))
        case .personalize:
            var personalization = try Self.personalization(body, lists: lists)
            personalization.options = Options(flags)
            self = .personalize(personalization)
        case .repersonalize:
            self = .repersonalize(try Self.personalization(body, lists: lists))
        case .depersonalize:
            self = .depersonalize
        case .customEvents:
            let isValidated = flags["validate"] ?? false
            let events = try EmulatedInfobipEvent.list(in: body, isValidated: isValidated, of: id)
            self = .events(events, isValidated: isValidated)
        case .sessionReports:
            self = .sessions(try SessionReport(body))
        default:
            self = .baseURL
        }
    }

    private static func personalization(_ body: JSONValue, lists: ListAttributes?) throws(Refusal) -> Personalization {
        guard let object = body.object, object.keys.allSatisfy(Self.personalizeMembers.contains) else {
            throw .formatInvalid("The body", shouldBe: "an object with \(Self.personalizeMembers.sorted()) only")
        }
        let identity = try InfobipPersonIdentity(object["userIdentity"])
        let fields = try object["userAttributes"].map { value throws(Refusal) in
            try InfobipPersonFields(attributes: value, lists: lists)
        }
        return Personalization(identity: identity, fields: fields)
    }
}
