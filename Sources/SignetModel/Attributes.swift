//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Details of an event, by name, in the order in which they were given.
///
/// Made of a dictionary literal, without hashing: an event has a handful. A name that comes twice counts once, with the
/// last value.
public struct Attributes: Sendable {
    /// One detail.
    public typealias Element = (key: String, value: AttributeValue)

    private var elements: [Element]

    /// Makes no details.
    public init() {
        self.elements = []
    }

    /// Makes details of a dictionary, in the order of their names.
    public init(_ dictionary: [String: AttributeValue]) {
        self.elements = dictionary.map { (key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }

    /// Makes details of pairs; of equal names the last one counts.
    public init(_ pairs: some Sequence<(String, AttributeValue)>) {
        self.init(unchecked: pairs.map { (key: $0.0, value: $0.1) })
    }

    private init(unchecked elements: [Element]) {
        self.elements = elements
        if self.hasDuplicates { self.removeDuplicates() }
    }

    /// The value of a name; nil removes it.
    public subscript(key: String) -> AttributeValue? {
        get { self.elements.last { $0.key == key }?.value }
        set {
            let index = self.elements.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): self.elements[index].value = value
            case (let index?, nil): self.elements.remove(at: index)
            case (nil, let value?): self.elements.append((key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    // A handful is compared pair by pair; many go by their hashes.
    private var hasDuplicates: Bool {
        guard self.elements.count <= 12 else { return Set(self.elements.map(\.key)).count < self.elements.count }
        for index in self.elements.indices.dropFirst() {
            for other in 0..<index where self.elements[other].key == self.elements[index].key { return true }
        }
        return false
    }

    private mutating func removeDuplicates() {
        var places: [String: Int] = [:]
        var kept: [Element] = []
        for element in self.elements {
            if let place = places[element.key] {
                kept[place].value = element.value
            } else {
                places[element.key] = kept.count
                kept.append(element)
            }
        }
        self.elements = kept
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Makes details of a literal; of equal names the last one counts.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self.init(unchecked: elements.map { (key: $0.0, value: $0.1) })
    }
}

extension Attributes: RandomAccessCollection {
    /// The first place.
    public var startIndex: Int { 0 }
    /// The place behind the last one.
    public var endIndex: Int { self.elements.count }

    /// The detail at a place.
    public subscript(position: Int) -> Element {
        self.elements[position]
    }

    /// The names in order.
    public var keys: [String] { self.elements.map(\.key) }
}

extension Attributes: Hashable {
    /// Whether both have the same names with the same values, in whatever order.
    public static func == (first: Attributes, second: Attributes) -> Bool {
        first.count == second.count && first.allSatisfy { second[$0.key] == $0.value }
    }

    /// Hashes names and values, in whatever order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Dictionary(self.elements.map { ($0.key, $0.value) }) { _, last in last })
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
