// SPDX-License-Identifier: Apache-2.0

package import Signet

/// One action of a visitor.
package struct TraceLine: Sendable {
    /// The actions of a visitor.
    package enum Action: Sendable, Hashable {
        /// The app starts; the value is its version, if the trace has one.
        case launch(ApplicationInformation?)
        /// A screen, an event or a purchase.
        case log(Event)
        /// The user logs in.
        case login(IdentityRequest)
        /// The user logs out.
        case logout
        /// Identities change.
        case modify(IdentityRequest)
        /// An attribute of the user is set.
        case setAttribute(key: String, value: String)
        /// The app goes to the background.
        case enterBackground
        /// The app returns to the foreground.
        case enterForeground
        /// The process is killed.
        case kill
        /// The process ends in order.
        case quit
    }

    /// The longest trace, in milliseconds: a leap year.
    private static let longest: Int64 = 366 * 86_400_000

    /// The line number, from 1.
    package let number: Int
    /// The time in milliseconds since the start of the trace.
    package let at: Int64
    /// The installation that acts.
    package let installation: InstallationID
    /// The action.
    package let action: Action

    init(_ fields: TraceFields, number: Int) throws(TraceFields.Fault) {
        self.number = number
        self.at = try fields.integer("at", in: 0...Self.longest)
        self.installation = InstallationID(try fields.string("installation"))
        guard self.installation.isValid else {
            throw TraceFields.Fault(reason: "\"installation\" must have 1 to 256 bytes and no control characters")
        }
        self.action = try Self.action(fields)
    }

    private static func action(_ fields: TraceFields) throws(TraceFields.Fault) -> Action {
        switch try fields.string("do") {
        case "launch":
            let (version, build) = (try fields.optionalString("version"), try fields.optionalString("build"))
            guard version != nil || build != nil else { return .launch(nil) }
            return .launch(ApplicationInformation(version: version, build: build))
        case "screen":
            return .log(.screen(try fields.string("name"), attributes: try fields.attributes("attributes")))
        case "event":
            return .log(
                .custom(
                    try fields.string("name"),
                    type: try Self.eventType(fields),
                    attributes: try fields.attributes("attributes")
                )
            )
        case "purchase":
            return .log(.purchase(try Self.purchase(fields), attributes: try fields.attributes("attributes")))
        case "login":
            return .login(try fields.identities("identities"))
        case "logout":
            return .logout
        case "modify":
            return .modify(try fields.identities("identities"))
        case "attribute":
            return .setAttribute(key: try fields.string("key"), value: try fields.string("value"))
        case "background":
            return .enterBackground
        case "foreground":
            return .enterForeground
        case "kill":
            return .kill
        case "quit":
            return .quit
        case let other:
            throw TraceFields.Fault(reason: "\"do\" names \"\(other)\", which is not an action")
        }
    }

    private static func eventType(_ fields: TraceFields) throws(TraceFields.Fault) -> Event.CustomType {
        guard let type = Event.CustomType(wireName: try fields.optionalString("type") ?? "other") else {
            let names = Event.CustomType.all.map(\.wireName).joined(separator: ", ")
            throw TraceFields.Fault(reason: "\"type\" must be one of \(names)")
        }
        return type
    }

    private static func purchase(_ fields: TraceFields) throws(TraceFields.Fault) -> Purchase {
        Purchase(
            transactionID: try fields.string("transaction"),
            total: try fields.double("total"),
            currency: try fields.optionalString("currency"),
            products: try fields.objects("products").map { (product) throws(TraceFields.Fault) in
                Product(
                    id: try product.string("id"),
                    name: try product.optionalString("name"),
                    price: try product.optionalDouble("price"),
                    quantity: try product.optionalDouble("quantity")
                )
            }
        )
    }
}
