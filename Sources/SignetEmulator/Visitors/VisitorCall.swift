//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// What a request of the visitors' interface asks for, read and checked as far as the request itself goes.
enum VisitorCall: Sendable {
    case criteria
    case remoteConfiguration
    case activation(EmulatedActivation)
    case consent(EmulatedConsent)
    case merge(source: EmulatedVisitorID, destination: EmulatedVisitorID)
    case event(EmulatedVisitorEvent, VisitorSubject)
    case update(VisitorSubject, JSONObject, mergesNested: Bool)
    case changeEmail(of: EmulatedVisitorID, to: String)
    case register(EmulatedDevice, VisitorSubject)
    case disable(token: String, EmulatedVisitorID?)

    /// Whom a token must be for; nil when the request is about nobody, or everybody.
    var user: EmulatedVisitorID? {
        switch self {
        case .criteria, .remoteConfiguration: nil
        case .activation(let activation): .userID(activation.userID)
        case .consent(let consent): consent.user
        case .merge(_, let destination): destination
        case .event(_, let subject), .update(let subject, _, _), .register(_, let subject): subject.id
        case .changeEmail(let user, _): user
        case .disable(_, let user): user
        }
    }
}

extension VisitorCall {
    private static let userMembers = VisitorSubject.members.union(["createdAt"])
    private static let mergeMembers: Set<String> = [
        "sourceEmail", "sourceUserId", "destinationEmail", "destinationUserId", "createdAt",
    ]
    private static let emailMembers: Set<String> = ["currentEmail", "currentUserId", "newEmail", "createdAt"]
    // `eventTimeStamp` is a note that the vendor's clients send along.
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
        case .activation: self = .activation(try EmulatedActivation(body))
        case .consent: self = .consent(try EmulatedConsent(body))
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

    private static func merge(_ body: JSONValue) throws(Refusal) -> VisitorCall {
        let members = try Members(body, allowed: Self.mergeMembers)
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

    private static func custom(_ body: JSONValue) throws(Refusal) -> VisitorCall {
        let members = try Members(body, allowed: Self.eventMembers)
        let subject = try VisitorSubject(members)
        _ = try members.filledText("eventName")
        _ = try members.flag("createNewFields")
        return .event(try Self.event(.custom, of: subject, members, body), subject)
    }

    private static func commerce(
        _ body: JSONValue,
        _ kind: EmulatedVisitorEvent.Kind,
        allowed: Set<String>
    ) throws(Refusal) -> VisitorCall {
        let members = try Members(body, allowed: allowed)
        let subject = try VisitorSubject(userOf: members)
        let items = try EmulatedItem.list(in: members)
        if kind == .purchase {
            _ = try members.required("total", members.double("total"))
        }
        return .event(try Self.event(kind, of: subject, items: items, members, body), subject)
    }

    private static func event(
        _ kind: EmulatedVisitorEvent.Kind,
        of subject: VisitorSubject,
        items: [EmulatedItem] = [],
        _ members: Members,
        _ body: JSONValue
    ) throws(Refusal) -> EmulatedVisitorEvent {
        for key in ["campaignId", "templateId"] {
            _ = try members.integer(key)
        }
        _ = try members.text("id")
        _ = try members.object("dataFields")
        let createdAt = try members.seconds("createdAt")?.value
        let json = body.object ?? JSONObject()
        return EmulatedVisitorEvent(kind, of: subject.id, items: items, createdAt: createdAt, json: json)
    }

    private static func update(_ body: JSONValue) throws(Refusal) -> VisitorCall {
        let members = try Members(body, allowed: Self.updateMembers)
        _ = try members.seconds("createdAt")
        _ = try members.flag("createNewFields")
        let mergesNested = try members.flag("mergeNestedObjects") ?? false
        let fields = try members.object("dataFields") ?? JSONObject()
        return .update(try VisitorSubject(members), fields, mergesNested: mergesNested)
    }

    private static func changeEmail(_ body: JSONValue) throws(Refusal) -> VisitorCall {
        let members = try Members(body, allowed: Self.emailMembers)
        _ = try members.seconds("createdAt")
        let user = try members.visitorID(email: "currentEmail", userID: "currentUserId")
        return .changeEmail(of: user, to: try Members.address(members.filledText("newEmail")))
    }

    private static func register(_ body: JSONValue) throws(Refusal) -> VisitorCall {
        let members = try Members(body, allowed: Self.userMembers.union(["device"]))
        _ = try members.seconds("createdAt")
        let device = try EmulatedDevice(members.required("device", members.value("device")))
        return .register(device, try VisitorSubject(members))
    }

    private static func disable(_ body: JSONValue) throws(Refusal) -> VisitorCall {
        let members = try Members(body, allowed: Self.userMembers.union(["token"]))
        _ = try members.seconds("createdAt")
        let token = try members.filledText("token")
        let isForAll = members.value("email") == nil && members.value("userId") == nil
        return .disable(token: token, isForAll ? nil : try members.visitorID())
    }
}
