//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet
import SignetTransport

/// One thing done on one installation.
struct TraceLine: Equatable {
    /// What is done.
    enum Action: Equatable {
        case launch
        case log(Event)
        case login(IdentityRequest)
        case modify(IdentityRequest)
        case logout
        case attribute(key: String, value: AttributeValue)
        case background
        case foreground
        case kill
        case quit
    }

    /// From 1.
    let number: Int
    /// Milliseconds since the start of the trace.
    let at: Int64
    let installation: InstallationID
    let action: Action

    /// Reads a line.
    init(_ line: TraceFields) throws {
        self.number = line.number
        self.at = try line.integer("at", in: 0...10_000_000_000_000)
        self.installation = InstallationID(try line.text("installation"))
        guard self.installation.isValid else {
            throw line.wrong("\"installation\" is at most 256 bytes without control characters")
        }
        self.action = try Self.action(line)
    }

    private static func action(_ line: TraceFields) throws -> Action {
        switch try line.text("do") {
        case "launch":
            _ = (try line.optionalText("version"), try line.optionalText("build"))
            return .launch
        case "screen": return .log(.screen(try line.text("name"), attributes: try Self.attributes(line)))
        case "event": return .log(try Self.event(line))
        case "purchase": return .log(try Self.purchase(line))
        case "login": return .login(try Self.identities(line))
        case "modify": return .modify(try Self.identities(line))
        case "logout": return .logout
        case "attribute": return .attribute(key: try line.text("key"), value: .string(try line.text("value")))
        case "background": return .background
        case "foreground": return .foreground
        case "kill": return .kill
        case "quit": return .quit
        case let other: throw line.wrong("\"\(other)\" is nothing that can be done")
        }
    }

    private static func event(_ line: TraceFields) throws -> Event {
        let name = try line.optionalText("type") ?? "other"
        guard let type = CustomEventType(wireName: name) else { throw line.wrong("\"\(name)\" is no type of event") }
        return .custom(try line.text("name"), type: type, attributes: try Self.attributes(line))
    }

    private static func purchase(_ line: TraceFields) throws -> Event {
        guard let total = try line.optionalNumber("total") else { throw line.wrong("\"total\" is a number") }
        let products = try line.objects("products").map { product in
            guard let id = product["id"]?.string else { throw line.wrong("a product has an \"id\"") }
            return Product(
                id: id,
                name: product["name"]?.string,
                price: product["price"]?.number?.double,
                quantity: product["quantity"]?.number?.double
            )
        }
        let purchase = Purchase(
            transactionID: try line.text("transaction"),
            total: total,
            currency: try line.optionalText("currency"),
            products: products
        )
        return .purchase(purchase, attributes: try Self.attributes(line))
    }

    private static func identities(_ line: TraceFields) throws -> IdentityRequest {
        var request = IdentityRequest()
        for (key, value) in try line.members("identities") {
            guard value.isNull || value.string != nil else { throw line.wrong("identity \"\(key)\" is a text or null") }
            request[IdentityType(wireName: key)] = value.string
        }
        guard !request.identities.isEmpty else { throw line.wrong("\"identities\" names at least one") }
        return request
    }

    private static func attributes(_ line: TraceFields) throws -> [String: AttributeValue] {
        var attributes: [String: AttributeValue] = [:]
        for (key, value) in try line.members("attributes") {
            if let text = value.string {
                attributes[key] = .string(text)
            } else if let flag = value.bool {
                attributes[key] = .bool(flag)
            } else if let number = value.number?.int64 {
                attributes[key] = .integer(number)
            } else if let number = value.number?.double {
                attributes[key] = .double(number)
            } else {
                throw line.wrong("attribute \"\(key)\" is a text, a number, true or false")
            }
        }
        return attributes
    }
}
