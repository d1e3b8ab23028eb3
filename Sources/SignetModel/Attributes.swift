// SPDX-License-Identifier: Apache-2.0

/// The attributes of an event, in the order in which they were given.
///
/// A dictionary literal becomes attributes without hashing and with one allocation: an event has a handful. Of a repeated
/// name, the last value counts. Two names are the same when their bytes are, as on the wire.
public struct Attributes: Sendable {
    /// One attribute.
    public typealias Element = (key: String, value: AttributeValue)

    /// The most attributes that are compared pair by pair; more are compared by their hashes.
    private static let pairwiseLimit = 12

    /// The attributes in order; unlabelled, so that a literal needs no conversion.
    package private(set) var elements: [(String, AttributeValue)]

    /// Makes no attributes.
    public init() {
        self.elements = []
    }

    /// Makes attributes from a dictionary, ordered by name.
    public init(_ dictionary: [String: AttributeValue]) {
        self.elements = dictionary.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Makes attributes from pairs; of equal names the last one counts.
    public init(_ pairs: some Sequence<(String, AttributeValue)>) {
        self.init(unchecked: Array(pairs))
    }

    private init(unchecked elements: [(String, AttributeValue)]) {
        self.elements = elements
        if self.mayHaveDuplicates { self.removeDuplicates() }
    }

    /// The value of a name; setting nil removes it.
    public subscript(key: String) -> AttributeValue? {
        get {
            self.place(of: key).map { self.elements[$0].1 }
        }
        set {
            switch (self.place(of: key), newValue) {
            case (let place?, let value?): self.elements[place].1 = value
            case (let place?, nil): self.elements.remove(at: place)
            case (nil, let value?): self.elements.append((key, value))
            case (nil, nil): break
            }
        }
    }

    private func place(of key: String) -> Int? {
        self.elements.firstIndex { Self.isSame($0.0, key) }
    }

    private var mayHaveDuplicates: Bool {
        guard self.elements.count <= Self.pairwiseLimit else { return true }
        // Names that differ in length or first byte mostly fall on different bits; then no pair is the same.
        var seen: UInt64 = 0
        let mayBeSame = self.elements.contains { key, _ in
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: key.utf8.count &* 7 ^ Int(key.utf8.first ?? 0))
            defer { seen |= bit }
            return seen & bit != 0
        }
        guard mayBeSame else { return false }
        return self.elements.withUnsafeBufferPointer { elements in
            for index in elements.indices {
                for other in 0..<index where Self.isSame(elements[other].0, elements[index].0) { return true }
            }
            return false
        }
    }

    private mutating func removeDuplicates() {
        var places: [[UInt8]: Int] = [:]
        var kept: [(String, AttributeValue)] = []
        for element in self.elements {
            let place = places[Array(element.0.utf8), default: kept.count]
            if place < kept.count {
                kept[place].1 = element.1
            } else {
                places[Array(element.0.utf8)] = place
                kept.append(element)
            }
        }
        self.elements = kept
    }

    // The count is cheap to read and differs nearly always.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count && first.utf8.elementsEqual(second.utf8)
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Makes attributes from a literal; of equal names the last one counts.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self.init(unchecked: elements)
    }
}

extension Attributes: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last attribute.
    public var endIndex: Int { self.elements.count }

    /// The attribute at a position.
    public subscript(position: Int) -> Element {
        self.elements[position]
    }

    /// The names in order.
    public var keys: [String] { self.elements.map(\.0) }
}

extension Attributes: Hashable {
    /// Compares names and values, in any order.
    public static func == (first: Attributes, second: Attributes) -> Bool {
        first.count == second.count && first.elements.allSatisfy { second[$0.0] == $0.1 }
    }

    /// Hashes names and values, in any order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in self.elements {
            var element = Hasher()
            element.combine(key)
            element.combine(value)
            sum &+= element.finalize()
        }
        hasher.combine(sum)
    }
}

extension Attributes: CustomStringConvertible, CustomReflectable {
    /// The names, without values.
    public var description: String {
        "[\(self.keys.joined(separator: ", "))]"
    }

    /// A mirror with the names only.
    public var customMirror: Mirror {
        Mirror(self, children: ["keys": self.keys])
    }
}
