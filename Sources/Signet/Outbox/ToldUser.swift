// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

/// The last that a service was told of the user of an installation, in the service's own memory.
package struct ToldUser: Sendable, Hashable {
    /// The user; nil if the service was told of none yet.
    package let mpid: MPID?
    /// The digest of the names; nil if the service was told that the user has left.
    ///
    /// Not the names: some services must not have them on disk.
    private let digest: String?
    /// True after the app, or another device, has told the service otherwise.
    package private(set) var isOverruled = false

    /// The user of an entry of the outbox.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - names: The names by which the service knows its users, empty if they have none of those; nil if the user has left.
    package init(_ mpid: MPID?, names: [String]?) {
        self.mpid = mpid
        self.digest = names.map(Self.digest)
    }

    /// The same after the service was told by others.
    ///
    /// - Parameters:
    ///   - told: The last that the service was told before; nil if nothing.
    ///   - names: The names that it was told now; nil for a log-out.
    /// - Returns: The last that it was told before; overruled unless both say the same.
    package static func overruled(_ told: ToldUser?, by names: [String]?) -> ToldUser {
        var next = told ?? ToldUser(nil, names: nil)
        next.isOverruled = next.digest != names.map(Self.digest)
        return next
    }

    /// True if the service was told names.
    var isNamed: Bool { self.digest != nil }

    /// True if the service was told this user by these names, whatever others have told it since.
    func isOf(_ mpid: MPID, names: [String]) -> Bool {
        self.mpid == mpid && self.digest == Self.digest(names)
    }

    private static func digest(_ names: [String]) -> String {
        let parts = names.map { "\($0.utf8.count):\($0)" }
        return Hexadecimal.encode(Array(SHA256.hash(Array(parts.joined().utf8)).prefix(16)))
    }
}

extension ToldUser: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("mpid", self.mpid)
        encoder.write("names", self.digest)
        encoder.write("overruled", flag: self.isOverruled)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.mpid = try decoder.optional("mpid")
        self.digest = try decoder.optional("names")
        self.isOverruled = try decoder.flag("overruled")
    }
}
