// SPDX-License-Identifier: Apache-2.0

import SignetInfobip
import SignetModel

/// The two people of the simulation.
enum InfobipPersona: String, CaseIterable, Sendable {
    case ann, ben

    var externalUserID: String { "crm-\(self.rawValue)" }
    var phone: String { self == .ann ? "385800000001" : "385800000002" }
    var email: String { "\(self.rawValue)@people.example" }

    var other: InfobipPersona { self == .ann ? .ben : .ann }

    static func isKnown(_ externalUserID: String) -> Bool {
        Self.allCases.contains { $0.externalUserID == externalUserID }
    }

    /// The number of an edit as a phone number.
    static func phone(_ number: Int) -> String {
        let digits = String(number)
        return "3859" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// What must be in no file where nothing of people is kept.
    static let traces: [String] =
        ["usr-", "crm-", "3859000", "2112-01-", "7700000"] + Self.allCases.map(\.phone) + ["@people.example"]

    /// True if a value is one of its names.
    func isNamed(by value: String) -> Bool {
        value.split(separator: ",").contains { [self.externalUserID, self.phone, self.email].contains(String($0)) }
    }
}
