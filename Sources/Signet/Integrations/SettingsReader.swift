// SPDX-License-Identifier: Apache-2.0

#if SIGNET_CONFIGURATION
package import Configuration
package import SignetTransport

/// Reads settings one after another and collects their problems, by keys and never by values.
package struct SettingsReader {
    private let config: ConfigReader
    /// The problems found so far.
    package private(set) var problems: [String] = []

    package init(_ config: ConfigReader) {
        self.config = config
    }

    /// Reads a text; nil if there is none.
    package mutating func text(_ key: String, isSecret: Bool = false) -> String? {
        let text = self.config.string(forKey: ConfigKey(key), isSecret: isSecret)
        if text == nil { self.noteIfPresent(key, isSecret: isSecret, "is not a text") }
        return text
    }

    /// Reads a required text.
    package mutating func requiredText(_ key: String, isSecret: Bool = false) -> String {
        let count = self.problems.count
        if let text = self.text(key, isSecret: isSecret) { return text }
        if self.problems.count == count { self.problems.append("\(key) is missing") }
        return ""
    }

    /// Reads one of several words into a place.
    ///
    /// - Returns: True if there is a text.
    @discardableResult
    package mutating func choice<Value>(_ key: String, of values: [String: Value], into place: inout Value) -> Bool {
        guard let text = self.text(key) else { return false }
        if let value = values[text] {
            place = value
        } else {
            self.problems.append("\(key) is not one of \(values.keys.sorted().joined(separator: ", "))")
        }
        return true
    }

    /// Reads a number of seconds into a place.
    package mutating func seconds(_ key: String, into place: inout Duration) {
        if let duration = self.seconds(key) { place = duration }
    }

    /// Reads a number of seconds; nil if there is none.
    package mutating func seconds(_ key: String) -> Duration? {
        let whole = self.config.int(forKey: ConfigKey(key)).map(Double.init)
        guard let number = self.config.double(forKey: ConfigKey(key)) ?? whole else {
            self.noteIfPresent(key, isSecret: false, "is not a number of seconds")
            return nil
        }
        // Keeps the number in the range of a Duration; no wait is longer.
        guard number.isFinite, abs(number) <= 1e12 else {
            self.problems.append("\(key) is not a number of seconds")
            return nil
        }
        return .seconds(number)
    }

    /// Reads a whole number into a place.
    ///
    /// - Returns: True if there is one.
    @discardableResult
    package mutating func integer(_ key: String, into place: inout Int) -> Bool {
        guard let number = self.integer(key) else { return false }
        place = number
        return true
    }

    /// Reads a number into a place.
    package mutating func number(_ key: String, into place: inout Double) {
        guard
            let number = self.config.double(forKey: ConfigKey(key))
                ?? self.config.int(forKey: ConfigKey(key)).map(Double.init)
        else {
            return self.noteIfPresent(key, isSecret: false, "is not a number")
        }
        place = number
    }

    /// Reads a whole number; nil if there is none.
    package mutating func integer(_ key: String) -> Int? {
        let number = self.config.int(forKey: ConfigKey(key))
        if number == nil { self.noteIfPresent(key, isSecret: false, "is not a whole number") }
        return number
    }

    /// Reads true or false into a place.
    ///
    /// - Returns: True if the setting is there.
    @discardableResult
    package mutating func flag(_ key: String, into place: inout Bool) -> Bool {
        guard let flag = self.config.bool(forKey: ConfigKey(key)) else {
            self.noteIfPresent(key, isSecret: false, "is neither true nor false")
            return false
        }
        place = flag
        return true
    }

    /// Reads the base URL of a server; nil if there is none.
    package mutating func server(_ key: String) -> ServerURL? {
        guard let text = self.text(key) else { return nil }
        do throws(ServerURL.ParsingError) {
            return try ServerURL(text)
        } catch {
            self.note("\(key) cannot be used: \(error.message)")
            return nil
        }
    }

    /// Ends the reading.
    ///
    /// - Throws: `invalidConfiguration` with all problems.
    package func finish() throws(SignetError) {
        guard self.problems.isEmpty else {
            throw SignetError(.invalidConfiguration, self.problems.joined(separator: "; ") + ".")
        }
    }

    /// Adds a problem that was found elsewhere.
    package mutating func note(_ problem: String) {
        self.problems.append(problem)
    }

    // A value of another type reads as nil, so presence is checked by asking for all types.
    private mutating func noteIfPresent(_ key: String, isSecret: Bool, _ problem: String) {
        let key = ConfigKey(key)
        let isThere =
            self.config.string(forKey: key, isSecret: isSecret) != nil
            || self.config.double(forKey: key, isSecret: isSecret) != nil
            || self.config.int(forKey: key, isSecret: isSecret) != nil
            || self.config.bool(forKey: key, isSecret: isSecret) != nil
            || self.config.stringArray(forKey: key, isSecret: isSecret) != nil
        if isThere { self.problems.append("\(key) \(problem)") }
    }
}
#endif
