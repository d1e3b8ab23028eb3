// SPDX-License-Identifier: Apache-2.0

import SignetTransport

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
