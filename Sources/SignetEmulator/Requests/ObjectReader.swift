// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A typed reader of one JSON object of a request; a wrong type throws a refusal that names the member.
struct ObjectReader {
    private let object: JSONObject
    private let path: String

    /// Refusals name the object by `path`, which is empty for the body itself; `allowed` are the permitted names.
    ///
    /// Data under a misspelt name would otherwise be lost unnoticed.
    init(_ value: JSONValue, path: String = "", allowed: Set<String>) throws(Refusal) {
        guard let object = value.object else {
            throw .badRequest("\(path.isEmpty ? "The body" : "'\(path)'") must be an object.")
        }
        guard object.keys.allSatisfy(allowed.contains) else {
            let place = path.isEmpty ? "The body" : "'\(path)'"
            throw .badRequest("\(place) holds a member that is not documented. It may hold \(allowed.sorted()).")
        }
        self.object = object
        self.path = path
    }

    /// Returns a value; nil if it is missing or null.
    func value(_ key: String) -> JSONValue? {
        guard let value = self.object[key], !value.isNull else { return nil }
        return value
    }

    /// Returns true when the member is present, null or not.
    func holds(_ key: String) -> Bool {
        self.object[key] != nil
    }

    func text(_ key: String) throws(Refusal) -> String? {
        guard let value = self.value(key) else { return nil }
        guard let text = value.string else { throw self.wrong(key, "a string") }
        return text
    }

    func integer(_ key: String) throws(Refusal) -> Int64? {
        guard let value = self.value(key) else { return nil }
        guard let integer = value.number?.int64 else { throw self.wrong(key, "an integer") }
        return integer
    }

    func text(_ key: String, oneOf allowed: [String]) throws(Refusal) -> String? {
        guard let text = try self.text(key) else { return nil }
        guard allowed.contains(text) else { throw self.wrong(key, "one of \(allowed)") }
        return text
    }

    /// Checks `environment`, which every request must name.
    func checkEnvironment() throws(Refusal) {
        guard try self.text("environment", oneOf: ["production", "development"]) != nil else {
            throw self.missing("environment")
        }
    }

    func missing(_ key: String) -> Refusal {
        .badRequest("'\(self.name(of: key))' is missing.")
    }

    func wrong(_ key: String, _ expected: String) -> Refusal {
        .badRequest("'\(self.name(of: key))' must be \(expected).")
    }

    private func name(of key: String) -> String {
        self.path.isEmpty ? key : self.path + "." + key
    }
}
