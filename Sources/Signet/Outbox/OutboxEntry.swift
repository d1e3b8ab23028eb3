// SPDX-License-Identifier: Apache-2.0

package import SignetModel

package import struct FoundationEssentials.UUID

/// Work for other services after a change of an installation's user.
///
/// It is recorded with the new user, before the call that changed the user returns.
package struct OutboxEntry: Sendable, Hashable {
    /// The kinds of work.
    package enum Call: Sendable, Hashable {
        /// Identifies the user by these identities.
        case identify(email: String?, customerID: String?)
        /// The known user has left.
        case leave

        /// All names, each with its kind; nil if the user has left.
        package var names: [String]? {
            guard case .identify(let email, let customerID) = self else { return nil }
            return [email.map { "email " + $0 }, customerID.map { "id " + $0 }].compactMap(\.self)
        }
    }

    /// The id of the entry: a service stores it with its own work for the entry, and so does the work once.
    package let id: UUID
    /// The user the entry belongs to; nil once they are erased.
    ///
    /// The entry is written before the user, and has no effect without them.
    package private(set) var mpid: MPID?
    package private(set) var call: Call
    /// The services that have not reported how the work ended.
    var services: Set<IdentitySyncOutcome.Service>

    /// Makes the entry for the services that must follow.
    init(_ update: CurrentUserUpdate, for services: Set<IdentitySyncOutcome.Service>) {
        self.init(id: .random(), mpid: update.mpid, call: update.call, services: services)
    }

    init(id: UUID, mpid: MPID?, call: Call, services: Set<IdentitySyncOutcome.Service>) {
        (self.id, self.mpid, self.call, self.services) = (id, mpid, call, services)
    }

    /// Removes the erased user; the entry keeps its place, so that no entry before it is taken for one after it.
    package mutating func forgetUser() {
        (self.mpid, self.call) = (nil, .leave)
    }
}

extension OutboxEntry: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.id)
        encoder.write("mpid", self.mpid)
        if case .identify(let email, let customerID) = self.call {
            encoder.write("email", email)
            encoder.write("customer", customerID)
        }
        encoder.write("for", self.services.map(\.description).sorted())
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let (id, mpid): (UUID, MPID?) = try (decoder.read("id"), decoder.optional("mpid"))
        let (email, customerID): (String?, String?) = try (decoder.optional("email"), decoder.optional("customer"))
        let services: [String] = try decoder.read("for")
        self.init(
            id: id,
            mpid: mpid,
            call: email == nil && customerID == nil ? .leave : .identify(email: email, customerID: customerID),
            services: Set(services.map { IdentitySyncOutcome.Service(name: $0) })
        )
    }
}
