// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A call of Iterable's API, checked as far as possible without the state of the project.
enum IterableCall: Sendable {
    case criteria
    case remoteConfiguration
    case activation(EmulatedIterableActivation)
    case consent(EmulatedIterableConsent)
    case merge(source: EmulatedIterableUserID, destination: EmulatedIterableUserID)
    /// The change is that of the fields of the user.
    case event(EmulatedIterableEvent, IterableSubject, IterableFieldsChange)
    case update(IterableSubject, IterableFieldsChange)
    case changeEmail(of: EmulatedIterableUserID, to: String, merges: Bool)
    case register(EmulatedIterableDevice, IterableSubject)
    case disable(token: String, EmulatedIterableUserID?)

    /// The user that a token must be for; nil when the request is about no user, or about all.
    var user: EmulatedIterableUserID? {
        switch self {
        case .criteria, .remoteConfiguration: nil
        case .activation(let activation): .userID(activation.userID)
        case .consent(let consent): consent.user
        case .merge(_, let destination): destination
        case .event(_, let subject, _), .update(let subject, _), .register(_, let subject): subject.id
        case .changeEmail(let user, _, _): user
        case .disable(_, let user): user
        }
    }
}

extension IterableCall {
    private static let userMembers = IterableSubject.members.union(["createdAt"])
    private static let mergeMembers: Set<String> = [
        "sourceEmail", "sourceUserId", "destinationEmail", "destinationUserId", "createdAt",
    ]
    private static let emailMembers: Set<String> = ["currentEmail", "currentUserId", "newEmail", "merge", "createdAt"]
    // `eventTimeStamp` is a bookkeeping member that the vendor's clients send too.
    private static let eventMembers = Self.userMembers.union([
        "eventName", "id", "createNewFields", "dataFields", "campaignId", "templateId", "eventTimeStamp",
    ])
    private static let purchaseMembers: Set<String> = [
        "user", "items", "total", "id", "preferUserId", "dataFields", "campaignId", "templateId", "createdAt",
    ]
    private static let cartMembers: Set<String> = ["user", "items", "preferUserId", "createdAt"]
    private static let updateMembers = Self.userMembers.union(["mergeNestedObjects", "createNewFields", "dataFields"])

    /// Reads the body of a POST.
    init(_ body: JSONValue, of route: EmulatorRoute) throws(Refusal) {
        switch route {
        case .activation: self = .activation(try EmulatedIterableActivation(body))
        case .consent: self = .consent(try EmulatedIterableConsent(body))
        case .mergeUsers: self = try Self.merge(body)
        case .trackEvent: self = try Self.custom(body)
        case .trackPurchase: self = try Self.commerce(body, .purchase, allowed: Self.purchaseMembers)
        case .updateCart: self = try Self.commerce(body, .cart, allowed: Self.cartMembers)
        case .updateUser: self = try Self.update(body)
        case .updateEmail: self = try Self.changeEmail(body)
        case .registerDevice: self = try Self.register(body)
        case .disableDevice: self = try Self.disable(body)
        default: throw .notFound("The emulator has no such path.")
        }
    }

    private static func merge(_ body: JSONValue) throws(Refusal) -> IterableCall {
        let members = try ObjectReader(body, allowed: Self.mergeMembers)
        for (one, other) in [("sourceEmail", "sourceUserId"), ("destinationEmail", "destinationUserId")]
        where members.value(one) != nil && members.value(other) != nil {
            throw .badParameters("Only one of '\(one)' and '\(other)' may be given.")
        }
        let source = try members.visitorID(email: "sourceEmail", userID: "sourceUserId")
        let destination = try members.visitorID(email: "destinationEmail", userID: "destinationUserId")
        guard source != destination else { throw .badParameters("Source and destination must not be the same.") }
        _ = try members.seconds("createdAt")
        return .merge(source: source, destination: destination)
    }

    private static func custom(_ body: JSONValue) throws(Refusal) -> IterableCall {
        let members = try ObjectReader(body, allowed: Self.eventMembers)
        let subject = try IterableSubject(members)
        _ = try members.filledText("eventName")
        _ = try members.flag("createNewFields")
        _ = try members.integer("campaignId")
        return .event(try Self.event(.custom, of: subject, members, body), subject, .replacing([:]))
    }

    private static func commerce(
        _ body: JSONValue,
        _ kind: EmulatedIterableEvent.Kind,
        allowed: Set<String>
    ) throws(Refusal) -> IterableCall {
        let members = try ObjectReader(body, allowed: allowed)
        let subject = try IterableSubject(userOf: members)
        let change = try IterableFieldsChange(ofUser: members)
        let items = try EmulatedIterableItem.list(in: members)
        if kind == .purchase {
            _ = try members.required("total", members.double("total"))
            try members.checkCampaignID()
        }
        return .event(try Self.event(kind, of: subject, items: items, members, body), subject, change)
    }

    private static func event(
        _ kind: EmulatedIterableEvent.Kind,
        of subject: IterableSubject,
        items: [EmulatedIterableItem] = [],
        _ members: ObjectReader,
        _ body: JSONValue
    ) throws(Refusal) -> EmulatedIterableEvent {
        _ = try members.integer("templateId")
        _ = try members.text("id")
        _ = try members.object("dataFields")
        _ = try members.seconds("createdAt")
        return EmulatedIterableEvent(kind, of: subject.id, items: items, json: body.object ?? JSONObject())
    }

    private static func update(_ body: JSONValue) throws(Refusal) -> IterableCall {
        let members = try ObjectReader(body, allowed: Self.updateMembers)
        _ = try members.seconds("createdAt")
        _ = try members.flag("createNewFields")
        let change = try IterableFieldsChange(members)
        return .update(try IterableSubject(members), change)
    }

    private static func changeEmail(_ body: JSONValue) throws(Refusal) -> IterableCall {
        let members = try ObjectReader(body, allowed: Self.emailMembers)
        _ = try members.seconds("createdAt")
        // One client for servers sends both members, one of them empty. An empty address beside an id counts as absent.
        let hasAddress = try members.text("currentEmail") != "" || members.value("currentUserId") == nil
        let user = try members.visitorID(email: hasAddress ? "currentEmail" : nil, userID: "currentUserId")
        let merges = try members.flag("merge") ?? false
        return .changeEmail(of: user, to: try ObjectReader.address(members.filledText("newEmail")), merges: merges)
    }

    private static func register(_ body: JSONValue) throws(Refusal) -> IterableCall {
        let members = try ObjectReader(body, allowed: Self.userMembers.union(["device"]))
        _ = try members.seconds("createdAt")
        let device = try EmulatedIterableDevice(members.required("device", members.value("device")))
        return .register(device, try IterableSubject(members))
    }

    private static func disable(_ body: JSONValue) throws(Refusal) -> IterableCall {
        let members = try ObjectReader(body, allowed: Self.userMembers.union(["token"]))
        _ = try members.seconds("createdAt")
        let token = try members.filledText("token")
        let isForAll = members.value("email") == nil && members.value("userId") == nil
        return .disable(token: token, isForAll ? nil : try members.visitorID())
    }
}

/// The user that a request is about.
enum IterableSubject: Sendable, Hashable {
    /// The user must exist: a user id without `preferUserId`, which is documented to create the user.
    case existing(EmulatedIterableUserID)
    /// The request creates the user if there is none.
    case created(EmulatedIterableUserID)

    var id: EmulatedIterableUserID {
        switch self {
        case .existing(let id), .created(let id): id
        }
    }

    /// The members of a body that name the user.
    static let members: Set<String> = ["email", "userId", "preferUserId"]

    /// Reads the user from a body.
    init(_ members: ObjectReader) throws(Refusal) {
        try self.init(members, outer: nil)
    }

    /// Reads `user` of a body; `preferUserId` may be beside it or, as one of the vendor's clients sends it, inside.
    init(userOf members: ObjectReader) throws(Refusal) {
        try self.init(members.commerceUser(), outer: members.flag("preferUserId"))
    }

    private init(_ members: ObjectReader, outer: Bool?) throws(Refusal) {
        let id = try members.visitorID()
        let prefersUserID = try members.flag("preferUserId") ?? outer ?? false
        switch id {
        case .userID where !prefersUserID: self = .existing(id)
        case .userID, .email: self = .created(id)
        }
    }
}
