// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object, in order.
///
/// Names are compared by their bytes. Two objects are equal when they have the same members in any order. Finding and
/// adding take constant time on average; removing takes time linear in the number of members.
package struct JSONObject: Sendable, Hashable {
    /// The number of members up to which a search from the front is faster than hashing.
    private static let searchLimit = 12

    /// The names, in order.
    package private(set) var keys: [String] = []
    private var values: [JSONValue] = []
    /// The position of each name; empty up to `searchLimit` members.
    private var positions: [ByteText: Int] = [:]

    /// Makes an object without members.
    package init() {}

    /// The number of members.
    package var count: Int {
        self.keys.count
    }

    /// True if there are no members.
    package var isEmpty: Bool {
        self.keys.isEmpty
    }

    /// The value of a member; setting keeps the member's place or appends it, setting nil removes it.
    package subscript(key: String) -> JSONValue? {
        get {
            self.position(of: key).map { self.values[$0] }
        }
        set {
            switch (self.position(of: key), newValue) {
            case (let position?, let value?):
                self.values[position] = value
            case (let position?, nil):
                self.remove(at: position)
            case (nil, let value?):
                self.insert(key, value)
            case (nil, nil):
                break
            }
        }
    }

    /// Appends a member of a new name.
    ///
    /// - Returns: True if the name was new; otherwise nothing changed.
    mutating func append(key: String, value: JSONValue) -> Bool {
        guard self.position(of: key) == nil else { return false }
        self.insert(key, value)
        return true
    }

    package static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
        lhs.count == rhs.count && lhs.allSatisfy { key, value in rhs[key] == value }
    }

    package func hash(into hasher: inout Hasher) {
        // Equal objects may differ in order, so the members' hashes are combined by a sum.
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            member.combine(ByteText(key))
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(self.count)
        hasher.combine(sum)
    }

    private func position(of key: String) -> Int? {
        if self.positions.isEmpty {
            return self.keys.firstIndex { ByteText.isSame($0, key) }
        }
        return self.positions[ByteText(key)]
    }

    private mutating func insert(_ key: String, _ value: JSONValue) {
        self.keys.append(key)
        self.values.append(value)
        if !self.positions.isEmpty {
            self.positions[ByteText(key)] = self.keys.count - 1
        } else if self.keys.count > Self.searchLimit {
            self.index()
        }
    }

    private mutating func remove(at position: Int) {
        self.keys.remove(at: position)
        self.values.remove(at: position)
        self.positions = [:]
        if self.keys.count > Self.searchLimit {
            self.index()
        }
    }

    private mutating func index() {
        for (position, key) in self.keys.enumerated() {
            self.positions[ByteText(key)] = position
        }
    }
}

extension JSONObject: Sequence {
    /// Walks the members in order.
    package struct Iterator: IteratorProtocol {
        private let object: JSONObject
        private var position = 0

        fileprivate init(_ object: JSONObject) {
            self.object = object
        }

        /// The next member, or nil at the end.
        package mutating func next() -> (key: String, value: JSONValue)? {
            guard self.position < self.object.count else { return nil }
            defer { self.position += 1 }
            return (self.object.keys[self.position], self.object.values[self.position])
        }
    }

    /// Starts at the first member.
    package func makeIterator() -> Iterator {
        Iterator(self)
    }

    /// The number of members, exactly.
    package var underestimatedCount: Int {
        self.count
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal; the last value of a repeated key wins.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements {
            self[key] = value
        }
    }
}
