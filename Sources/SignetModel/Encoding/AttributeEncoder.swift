// SPDX-License-Identifier: Apache-2.0

/// Writes a value into a node of attributes, without JSON between.
///
/// Its containers never refuse a shape: the shape is checked once the value is whole, so that the first part that is no
/// attribute is reported in the order of the value.
struct AttributeEncoder: Encoder {
    private let node: AttributeNode

    init(_ node: AttributeNode) {
        self.node = node
    }

    var codingPath: [any CodingKey] { self.node.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.node.beginNames()
        return KeyedEncodingContainer(Named<Key>(node: self.node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self.node.beginList()
        return Unnamed(node: self.node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(node: self.node)
    }
}

extension AttributeEncoder {
    /// The key under which a class encodes its superclass.
    private struct SuperKey: CodingKey {
        let stringValue = "super"
        let intValue: Int? = nil

        init() {}
        init?(stringValue: String) { return nil }
        init?(intValue: Int) { return nil }
    }

    /// The properties of a value.
    private struct Named<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: AttributeNode

        var codingPath: [any CodingKey] { self.node.path }

        func encodeNil(forKey key: Key) { self.node.append(.value(.null), for: key) }
        func encode(_ value: Bool, forKey key: Key) { self.node.append(.value(.bool(value)), for: key) }
        func encode(_ value: String, forKey key: Key) { self.node.append(.value(.string(value)), for: key) }
        func encode(_ value: Double, forKey key: Key) { self.node.append(.value(.double(value)), for: key) }
        func encode(_ value: Float, forKey key: Key) { self.node.append(AttributeNode.part(float: value), for: key) }
        func encode(_ value: Int, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: Int8, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: Int16, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: Int32, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: Int64, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: UInt, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: UInt8, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: UInt16, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: UInt32, forKey key: Key) throws { try self.integer(value, key) }
        func encode(_ value: UInt64, forKey key: Key) throws { try self.integer(value, key) }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            self.node.append(try AttributeNode.part(value, at: self.node.path + [key]), for: key)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            AttributeEncoder(self.child(key)).container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            AttributeEncoder(self.child(key)).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { AttributeEncoder(self.child(SuperKey())) }
        func superEncoder(forKey key: Key) -> any Encoder { AttributeEncoder(self.child(key)) }

        private func integer(_ value: some BinaryInteger, _ key: Key) throws(AttributeEncodingError) {
            self.node.append(try AttributeNode.part(integer: value, at: self.node.path + [key]), for: key)
        }

        private func child(_ key: any CodingKey) -> AttributeNode {
            let child = AttributeNode(at: self.node.path + [key])
            self.node.append(.node(child), for: key)
            return child
        }
    }

    /// The values of a list.
    private struct Unnamed: UnkeyedEncodingContainer {
        let node: AttributeNode

        var codingPath: [any CodingKey] { self.node.path }
        var count: Int { self.node.count }

        private var place: [any CodingKey] { self.node.path + [AttributeIndex(self.count)] }

        func encodeNil() { self.node.append(.value(.null)) }
        func encode(_ value: Bool) { self.node.append(.value(.bool(value))) }
        func encode(_ value: String) { self.node.append(.value(.string(value))) }
        func encode(_ value: Double) { self.node.append(.value(.double(value))) }
        func encode(_ value: Float) { self.node.append(AttributeNode.part(float: value)) }
        func encode(_ value: Int) throws { try self.integer(value) }
        func encode(_ value: Int8) throws { try self.integer(value) }
        func encode(_ value: Int16) throws { try self.integer(value) }
        func encode(_ value: Int32) throws { try self.integer(value) }
        func encode(_ value: Int64) throws { try self.integer(value) }
        func encode(_ value: UInt) throws { try self.integer(value) }
        func encode(_ value: UInt8) throws { try self.integer(value) }
        func encode(_ value: UInt16) throws { try self.integer(value) }
        func encode(_ value: UInt32) throws { try self.integer(value) }
        func encode(_ value: UInt64) throws { try self.integer(value) }

        func encode(_ value: some Encodable) throws {
            self.node.append(try AttributeNode.part(value, at: self.place))
        }

        func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
            AttributeEncoder(self.child()).container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            AttributeEncoder(self.child()).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { AttributeEncoder(self.child()) }

        private func integer(_ value: some BinaryInteger) throws(AttributeEncodingError) {
            self.node.append(try AttributeNode.part(integer: value, at: self.place))
        }

        private func child() -> AttributeNode {
            let child = AttributeNode(at: self.place)
            self.node.append(.node(child))
            return child
        }
    }

    /// A value without names, such as a raw value.
    private struct Single: SingleValueEncodingContainer {
        let node: AttributeNode

        var codingPath: [any CodingKey] { self.node.path }

        func encodeNil() { self.node.set(.value(.null)) }
        func encode(_ value: Bool) { self.node.set(.value(.bool(value))) }
        func encode(_ value: String) { self.node.set(.value(.string(value))) }
        func encode(_ value: Double) { self.node.set(.value(.double(value))) }
        func encode(_ value: Float) { self.node.set(AttributeNode.part(float: value)) }
        func encode(_ value: Int) throws { try self.integer(value) }
        func encode(_ value: Int8) throws { try self.integer(value) }
        func encode(_ value: Int16) throws { try self.integer(value) }
        func encode(_ value: Int32) throws { try self.integer(value) }
        func encode(_ value: Int64) throws { try self.integer(value) }
        func encode(_ value: UInt) throws { try self.integer(value) }
        func encode(_ value: UInt8) throws { try self.integer(value) }
        func encode(_ value: UInt16) throws { try self.integer(value) }
        func encode(_ value: UInt32) throws { try self.integer(value) }
        func encode(_ value: UInt64) throws { try self.integer(value) }

        func encode(_ value: some Encodable) throws {
            self.node.set(try AttributeNode.part(value, at: self.node.path))
        }

        private func integer(_ value: some BinaryInteger) throws(AttributeEncodingError) {
            self.node.set(try AttributeNode.part(integer: value, at: self.node.path))
        }
    }
}
