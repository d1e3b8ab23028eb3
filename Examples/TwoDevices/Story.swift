// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel

/// What happened, line by line, with what the platform then shows.
struct Story: CustomStringConvertible {
    private let people: EmulatedInfobip
    private var names: [String: String] = [:]
    private(set) var lines: [String] = []

    init(of people: EmulatedInfobip) {
        self.people = people
    }

    var description: String {
        self.lines.joined(separator: "\n")
    }

    /// Something begins.
    mutating func scene(_ title: String) {
        if !self.lines.isEmpty { self.lines.append("") }
        self.lines.append(title)
    }

    /// A device says something.
    mutating func tell(_ device: Device, _ text: String) {
        self.names[device.id] = device.name
        self.lines.append("  \(device.name.padded(to: 10))\(text)")
    }

    /// What the portal would show now.
    mutating func showPlatform() {
        for person in self.people.people() {
            let type = person.isCustomer ? "customer" : "lead"
            let devices = person.installations.map { self.name(of: $0) }.joined(separator: ", ")
            self.lines.append("  \("platform".padded(to: 10))\(type) \(Self.known(of: person)): \(devices)")
        }
    }

    private func name(of id: String) -> String {
        let isPrimary = self.people.installation(id)?.isPrimary ?? false
        return (self.names[id] ?? id) + (isPrimary ? " (primary)" : "")
    }

    private static func known(of person: EmulatedInfobipPerson) -> String {
        var parts = [person.externalUserID ?? "without a name"]
        parts += [person.firstName, person.lastName].compactMap(\.self)
        for (key, value) in person.attributes.sorted(by: { $0.key < $1.key }) {
            if case .string(let text) = value { parts.append("\(key) \(text)") }
        }
        return parts.joined(separator: ", ")
    }
}

extension String {
    /// The text with spaces behind it.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - self.count))
    }
}
