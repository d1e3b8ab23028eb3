// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

/// The user of an installation whom a service knows, as its own memory has it.
package struct SyncedUser: Sendable, Hashable {
    /// The user; nil if the service knows none yet.
    package let mpid: MPID?
    /// The digest of the names; nil if the service knows that the user has left.
    ///
    /// Not the names: some services must not have them on disk.
    private let digest: String?
    /// True after the app, or another device, has changed the user at the service.
    package private(set) var isOverruled = false

    /// The user of an entry of the outbox.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - names: The names by which the service knows its users, empty if they have none of those; nil if the user has
    ///     left.
    package init(_ mpid: MPID?, names: [String]?) {
        self.mpid = mpid
        self.digest = names.map(Self.digest)
    }

    /// The same after others have changed the user at the service.
    ///
    /// - Parameters:
    ///   - synced: The user before; nil if there was none.
    ///   - names: The names that the service has now; nil for a log-out.
    /// - Returns: The user before; overruled unless the names are the same.
    package static func overruled(_ synced: SyncedUser?, by names: [String]?) -> SyncedUser {
        var next = synced ?? SyncedUser(nil, names: nil)
        next.isOverruled = next.digest != names.map(Self.digest)
        return next
    }

    /// The same without the user and their names; nil if nothing is left to know.
    package var forgotten: SyncedUser? {
        guard self.isOverruled else { return nil }
        var next = SyncedUser(nil, names: nil)
        next.isOverruled = true
        return next
    }

    /// True if the service knows names of the user.
    var isNamed: Bool { self.digest != nil }

    /// True if the service was synchronised with this user and these names, also if others have changed the user since.
    func isOf(_ mpid: MPID, names: [String]) -> Bool {
        self.mpid == mpid && self.digest == Self.digest(names)
    }

    private static func digest(_ names: [String]) -> String {
        let parts = names.map { "\($0.utf8.count):\($0)" }
        return Hexadecimal.encode(Array(SHA256.hash(Array(parts.joined().utf8)).prefix(16)))
    }
}

extension SyncedUser: RecordFields {
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
