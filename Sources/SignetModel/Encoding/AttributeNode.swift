// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date
import struct FoundationEssentials.Decimal
import struct FoundationEssentials.URL

/// One value under encoding: containers fill it, also after the call that made them has returned.
final class AttributeNode {
    /// A part of a value.
    enum Part {
        case value(AttributeValue)
        case node(AttributeNode)
    }

    /// The kind of value; the first container decides it.
    enum Content {
        case nothing
        case single(Part)
        case named([(key: any CodingKey, part: Part)])
        case list([Part])
    }

    /// The place of the value.
    let path: [any CodingKey]
    /// The value so far.
    private(set) var content = Content.nothing

    init(at path: [any CodingKey]) {
        self.path = path
    }

    /// Encodes a value into this node.
    func fill(with value: some Encodable) throws(AttributeEncodingError) {
        do {
            try value.encode(to: AttributeEncoder(self))
        } catch let error as AttributeEncodingError {
            throw error
        } catch {
            throw AttributeEncodingError(.failed, at: self.path, cause: error)
        }
    }

    /// The properties; nil for a value without names.
    ///
    /// A wrapper that encodes as the value within it has that one's.
    var names: [(key: any CodingKey, part: Part)]? {
        switch self.content {
        case .named(let elements): elements
        case .single(.node(let node)): node.names
        case .nothing, .single, .list: nil
        }
    }

    func beginNames() {
        if case .nothing = self.content { self.content = .named([]) }
    }

    func beginList() {
        if case .nothing = self.content { self.content = .list([]) }
    }

    /// The number of values in the list.
    var count: Int {
        if case .list(let parts) = self.content { parts.count } else { 0 }
    }

    func set(_ part: Part) {
        self.content = .single(part)
    }

    func append(_ part: Part) {
        guard case .list(var parts) = self.content else { return }
        self.content = .nothing
        parts.append(part)
        self.content = .list(parts)
    }

    func append(_ part: Part, for key: any CodingKey) {
        guard case .named(var elements) = self.content else { return }
        self.content = .nothing
        elements.append((key, part))
        self.content = .named(elements)
    }

    /// The part for a value, as this encoder writes it.
    static func part(_ value: some Encodable, at path: [any CodingKey]) throws(AttributeEncodingError) -> Part {
        switch value {
        case let date as Date: return .value(.date(date))
        // Their own encoding is an object, which no attribute can hold.
        case let url as URL: return .value(.string(url.absoluteString))
        case let number as Decimal:
            guard !number.isNaN, let double = Double("\(number)") else {
                throw AttributeEncodingError(.notFinite, at: path)
            }
            return .value(.double(double))
        default: break
        }
        let node = AttributeNode(at: path)
        try node.fill(with: value)
        return .node(node)
    }

    /// The part for a whole number.
    static func part(
        integer value: some BinaryInteger,
        at path: [any CodingKey]
    ) throws(AttributeEncodingError) -> Part {
        guard let integer = Int64(exactly: value) else { throw AttributeEncodingError(.outOfRange, at: path) }
        return .value(.integer(integer))
    }

    /// The part for a `Float`: the number that its shortest text names.
    static func part(float value: Float) -> Part {
        .value(.double(Double("\(value)") ?? Double(value)))
    }
}

extension AttributeNode.Part {
    /// The value of an attribute, or of an entry of its list.
    func value(at path: [any CodingKey], isInList: Bool) throws(AttributeEncodingError) -> AttributeValue {
        switch self {
        case .value(.double(let number)) where !number.isFinite: throw AttributeEncodingError(.notFinite, at: path)
        case .value(let value): return value
        case .node(let node): return try node.value(at: path, isInList: isInList)
        }
    }
}

extension AttributeNode {
    fileprivate func value(at path: [any CodingKey], isInList: Bool) throws(AttributeEncodingError) -> AttributeValue {
        switch self.content {
        case .single(let part): return try part.value(at: path, isInList: isInList)
        case .nothing, .named: throw AttributeEncodingError(.nested, at: Self.firstName(in: self, at: path))
        case .list(let parts):
            guard !isInList else { throw AttributeEncodingError(.nested, at: path) }
            var values: [AttributeValue] = []
            values.reserveCapacity(parts.count)
            for (index, part) in parts.enumerated() {
                values.append(try part.value(at: path + [AttributeIndex(index)], isInList: true))
            }
            return .list(values)
        }
    }

    /// The place of the first name within an object: it shows which property is too deep.
    private static func firstName(in node: AttributeNode, at path: [any CodingKey]) -> [any CodingKey] {
        guard case .named(let elements) = node.content, let first = elements.first else { return path }
        return path + [first.key]
    }
}
