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

    // The array that a literal comes in is kept as it is.
    @usableFromInline var elements: [(String, AttributeValue)]

    /// Makes no details.
    public init() {
        self.elements = []
    }

    /// Makes details of a dictionary, in the order of their names.
    public init(_ dictionary: [String: AttributeValue]) {
        self.elements = dictionary.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Makes details of pairs; of equal names the last one counts.
    public init(_ pairs: some Sequence<(String, AttributeValue)>) {
        self.init(unchecked: Array(pairs))
    }

    private init(unchecked elements: [(String, AttributeValue)]) {
        self.elements = elements
        if self.hasDuplicates { self.removeDuplicates() }
    }

    /// The value of a name; nil removes it.
    public subscript(key: String) -> AttributeValue? {
        get { self.elements.last { $0.0 == key }?.1 }
        set {
            let index = self.elements.firstIndex { $0.0 == key }
            switch (index, newValue) {
            case (let index?, let value?): self.elements[index].1 = value
            case (let index?, nil): self.elements.remove(at: index)
            case (nil, let value?): self.elements.append((key, value))
            case (nil, nil): break
            }
        }
    }

    // A handful is compared pair by pair; many go by their hashes.
    private var hasDuplicates: Bool {
        guard self.elements.count <= 12 else { return Set(self.elements.map(\.0)).count < self.elements.count }
        return self.elements.withUnsafeBufferPointer { elements in
            var index = 1
            while index < elements.count {
                let length = elements[index].0.utf8.count
                for other in 0..<index
                where elements[other].0.utf8.count == length && elements[other].0 == elements[index].0 {
                    return true
                }
                index += 1
            }
            return false
        }
    }

    private mutating func removeDuplicates() {
        var places: [String: Int] = [:]
        var kept: [(String, AttributeValue)] = []
        for element in self.elements {
            if let place = places[element.0] {
                kept[place].1 = element.1
            } else {
                places[element.0] = kept.count
                kept.append(element)
            }
        }
        self.elements = kept
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Makes details of a literal; of equal names the last one counts.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self.init(unchecked: elements)
    }
}

extension Attributes: RandomAccessCollection {
    /// The first place.
    @inlinable public var startIndex: Int { 0 }
    /// The place behind the last one.
    @inlinable public var endIndex: Int { self.elements.count }

    /// The detail at a place.
    @inlinable public subscript(position: Int) -> Element {
        (key: self.elements[position].0, value: self.elements[position].1)
    }

    /// The names in order.
    public var keys: [String] { self.elements.map(\.0) }

    /// Runs a body for each detail, without a copy, until it returns a value.
    @inlinable
    package func first<Result>(_ body: (_ key: String, _ value: AttributeValue) -> Result?) -> Result? {
        self.elements.withUnsafeBufferPointer { elements in
            for index in elements.indices {
                if let result = body(elements[index].0, elements[index].1) { return result }
            }
            return nil
        }
    }
}

extension Attributes: Hashable {
    /// Whether both have the same names with the same values, in whatever order.
    public static func == (first: Attributes, second: Attributes) -> Bool {
        first.count == second.count && first.allSatisfy { second[$0.key] == $0.value }
    }

    /// Hashes names and values, in whatever order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Dictionary(self.elements) { _, last in last })
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
