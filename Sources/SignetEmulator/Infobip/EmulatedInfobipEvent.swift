// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue

/// A custom event of a person, as it arrived at Infobip's API.
public struct EmulatedInfobipEvent: Sendable, Hashable {
    /// `definitionId`.
    public let definitionID: String
    /// `date`.
    public let date: Date
    /// True if the request asked for a check against the definition, as it does for immediate events.
    public let isValidated: Bool
    /// The registration that sent it.
    public let installation: String
    /// The number of its request, in order over all routes of the application.
    public internal(set) var number = 0
    /// The time of arrival.
    public internal(set) var receivedAt = Date(timeIntervalSince1970: 0)
    /// True if an earlier request of the installation had the identical event.
    public internal(set) var isRepetition = false

    /// All `properties`.
    package let json: JSONObject

    private static let members: Set<String> = ["definitionId", "date", "properties"]

    init(_ value: JSONValue, isValidated: Bool, of installation: String) throws(Refusal) {
        guard let object = value.object, object.keys.allSatisfy(Self.members.contains) else {
            throw .formatInvalid("events", shouldBe: "objects with \(Self.members.sorted()) only")
        }
        guard let id = object["definitionId"]?.string, !id.isEmpty else {
            throw .formatInvalid("definitionId", shouldBe: "a string that is not empty")
        }
        guard let moment = object["date"]?.string.flatMap(InfobipPersonRules.moment) else {
            throw .formatInvalid("date", shouldBe: "a date-time, yyyy-MM-ddTHH:mm:ssZ")
        }
        let properties = object["properties"] ?? .object(JSONObject())
        guard let fields = properties.object else { throw .formatInvalid("properties", shouldBe: "an object") }
        for (key, value) in fields where value.object != nil {
            throw .formatInvalid(key, shouldBe: "a single value")
        }
        self.definitionID = id
        self.date = WallClock.date(milliseconds: moment)
        self.json = fields
        self.isValidated = isValidated
        self.installation = installation
    }

    /// Reads `events` of a body.
    static func list(
        in body: JSONValue,
        isValidated: Bool,
        of installation: String
    ) throws(Refusal)
        -> [EmulatedInfobipEvent]
    {
        guard let object = body.object, object.keys == ["events"], let list = object["events"]?.array, !list.isEmpty
        else {
            throw .formatInvalid("The body", shouldBe: "an object with a list 'events' alone")
        }
        var events: [EmulatedInfobipEvent] = []
        for element in list {
            events.append(try EmulatedInfobipEvent(element, isValidated: isValidated, of: installation))
        }
        return events
    }

    /// The `properties` with single values.
    public var properties: [String: AttributeValue] { IterableFields.singleValues(of: self.json) }

    /// The event without number and time of arrival, to compare repetitions.
    var content: EmulatedInfobipEvent {
        var content = self
        content.number = 0
        content.receivedAt = Date(timeIntervalSince1970: 0)
        content.isRepetition = false
        return content
    }
}

extension EmulatedInfobipEvent: CustomStringConvertible {
    /// The request number, without names and content.
    public var description: String {
        "EmulatedPersonEvent(request \(self.number)\(self.isRepetition ? ", again" : ""))"
    }
}

/// The sessions of an installation in a request, in milliseconds since 1970.
struct SessionReport: Sendable {
    private(set) var starts: [Int64] = []
    private(set) var bounds: [Int64: Int64] = [:]

    private static let members: Set<String> = ["sessionStarts", "sessionBounds", "systemData"]

    init(_ body: JSONValue) throws(Refusal) {
        guard let object = body.object, object.keys.allSatisfy(Self.members.contains) else {
            throw .formatInvalid("The body", shouldBe: "an object with \(Self.members.sorted()) only")
        }
        guard object["systemData"]?.object != nil else { throw .formatInvalid("systemData", shouldBe: "an object") }
        if let value = object["sessionStarts"] {
            guard let list = value.array, !list.isEmpty else {
                throw .formatInvalid("sessionStarts", shouldBe: "a list, or left out")
            }
            for element in list {
                self.starts.append(try Self.moment(element.string, "sessionStarts"))
            }
        }
        if let value = object["sessionBounds"] {
            guard let bounds = value.object, !bounds.isEmpty else {
                throw .formatInvalid("sessionBounds", shouldBe: "an object, or left out")
            }
            for (start, end) in bounds {
                let moment = try Self.moment(start, "sessionBounds")
                self.bounds[moment] = try Self.moment(end.string, "sessionBounds")
            }
        }
    }

    private static func moment(_ text: String?, _ field: String) throws(Refusal) -> Int64 {
        guard let moment = text.flatMap(InfobipPersonRules.moment) else {
            throw .formatInvalid(field, shouldBe: "of date-times, yyyy-MM-ddTHH:mm:ssZ")
        }
        return moment
    }
}
