// SPDX-License-Identifier: Apache-2.0

extension Attributes {
    /// The maximum length of a key, in UTF-16 units.
    static let keyLength = 256

    /// Makes attributes from a value with names: a type with stored properties, or a dictionary with text keys.
    ///
    /// Each property becomes one attribute, in the order in which the value encodes them; of equal names, the last one
    /// counts. A property that is nil and encoded with `encodeIfPresent`, as synthesized code does, makes none. Numbers,
    /// Booleans and texts stay themselves. A `Date` becomes a moment to the second. `URL` and `UUID` become texts, and
    /// `Decimal` the nearest `Double`. A list of these becomes a list.
    ///
    /// Lengths of values and the number of attributes are checked where the event is logged.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``AttributeEncodingError`` with the key path of the first part that is no attribute.
    public init(encoding value: some Encodable) throws(AttributeEncodingError) {
        let root = AttributeNode(at: [])
        try root.fill(with: value)
        guard let elements = root.names else { throw AttributeEncodingError(.noNames, at: []) }
        var pairs: [(String, AttributeValue)] = []
        pairs.reserveCapacity(elements.count)
        for (key, part) in elements {
            guard (1...Self.keyLength).contains(key.stringValue.utf16.count) else {
                throw AttributeEncodingError(.invalidKey, at: [key])
            }
            pairs.append((key.stringValue, try part.value(at: [key], isInList: false)))
        }
        self.init(pairs)
    }
}

extension Event {
    /// Makes a custom event whose attributes are the properties of a value.
    ///
    /// ```swift
    /// struct Level: Encodable {
    ///     var number: Int
    ///     var medals: [String]
    /// }
    /// try installation.log(.custom("level_completed", encoding: Level(number: 4, medals: ["gold"])))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the event, 1 to 256 characters.
    ///   - type: The subject of the event.
    ///   - value: A flat value; ``Attributes/init(encoding:)`` says what its properties may be.
    /// - Returns: The event.
    /// - Throws: ``AttributeEncodingError`` with the key path of the first part that is no attribute.
    public static func custom(
        _ name: String,
        type: Event.CustomType = .other,
        encoding value: some Encodable
    ) throws(AttributeEncodingError) -> Event {
        .custom(name, type: type, attributes: try Attributes(encoding: value))
    }

    /// Makes a screen view whose attributes are the properties of a value.
    ///
    /// - Parameters:
    ///   - name: The name of the screen, 1 to 256 characters.
    ///   - activityType: The purpose of the screen, up to 4096 characters.
    ///   - value: A flat value; ``Attributes/init(encoding:)`` says what its properties may be.
    /// - Returns: The event.
    /// - Throws: ``AttributeEncodingError`` with the key path of the first part that is no attribute.
    public static func screen(
        _ name: String,
        activityType: String? = nil,
        encoding value: some Encodable
    ) throws(AttributeEncodingError) -> Event {
        .screen(name, activityType: activityType, attributes: try Attributes(encoding: value))
    }
}
