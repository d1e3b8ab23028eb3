// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A call of Infobip's API, checked as far as possible without the state of the application.
enum InfobipCall: Sendable {
    /// The parameters of a personalization.
    struct Personalization: Sendable {
        let identity: InfobipPersonIdentity
        let fields: InfobipPersonFields?
        var forces = false
        var keepsAsLead = false
        var becomesPrimary = false
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
        lists: [String: [String: EmulatedInfobipApplication.Kind]]?
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
            personalization.forces = flags["forceDepersonalize"] ?? false
            personalization.keepsAsLead = flags["keepAsLead"] ?? false
            personalization.becomesPrimary = flags["setDeviceAsPrimary"] ?? false
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

    private static func personalization(
        _ body: JSONValue,
        lists: [String: [String: EmulatedInfobipApplication.Kind]]?
    ) throws(Refusal) -> Personalization {
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
