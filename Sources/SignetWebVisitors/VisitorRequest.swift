// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// One request as the visitors see it, from any HTTP library.
public struct VisitorRequest: Sendable {
    /// The method, in upper case.
    public let method: String
    /// The path, without the query.
    public let path: String
    /// The address connected to the server, with or without a port; nil when unknown or not to be used.
    public let peer: String?

    private let fields: [(name: String, value: String)]

    /// Takes the parts of a request.
    ///
    /// - Parameters:
    ///   - method: The method, in upper case.
    ///   - path: The path; a query is cut off.
    ///   - peer: The address connected to the server.
    ///   - fields: Names, in any case, and values, in the order of the request. With HTTP/2, pass `:authority` as `Host`.
    public init(
        method: String,
        path: String,
        peer: String? = nil,
        fields: some Sequence<(name: String, value: String)>
    ) {
        self.method = method
        self.path = String(path.prefix { $0 != "?" && $0 != "#" })
        self.peer = peer
        self.fields = Array(fields)
    }

    /// The values of a field, one for each line in order.
    ///
    /// - Parameter name: The name; its case does not count.
    /// - Returns: The values; empty if there is no such field.
    public func values(of name: String) -> [String] {
        self.fields.lazy.filter { Self.isSame($0.name.utf8, name.utf8) }.map(\.value)
    }

    /// The value of a field that the request has once; nil if there is none, or several.
    public subscript(name: String) -> String? {
        let values = self.values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// The device and the address of the visitor, for the platform.
    func context(trusting proxies: InstallationContext.TrustedProxies) -> InstallationContext {
        InstallationContext(peer: self.peer, trusting: proxies) { self.values(of: $0) }
    }

    static func isSame(_ name: String.UTF8View, _ other: String.UTF8View) -> Bool {
        name.count == other.count && name.elementsEqual(other) { Self.lower($0) == Self.lower($1) }
    }

    static func lower(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
