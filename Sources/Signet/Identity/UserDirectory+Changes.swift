// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension UserDirectory {
    /// The changed identities as events: for each user the customer id first, then the e-mail address, then the others.
    ///
    /// Device identities, and those that the Events API has no name for, are left out.
    ///
    /// - Parameters:
    ///   - before: The directory before the change.
    ///   - mpids: The users whose identities may have changed, in the order of the events.
    ///   - now: Milliseconds since 1970.
    /// - Returns: One update for each change.
    func identityUpdates(since before: UserDirectory, of mpids: [MPID], now: Int64) -> [UserUpdate] {
        mpids.flatMap { mpid -> [UserUpdate] in
            let old = before.entries[mpid]?.identities ?? [:]
            guard let new = self.entries[mpid]?.identities else { return [] }
            return Set(old.keys).union(new.keys)
                .filter { type in
                    !type.isDevice && type.eventsName != nil
                        && old[type].map { ByteText($0.value) } != new[type].map { ByteText($0.value) }
                }
                .sorted { ($0.rank, $0) < ($1.rank, $1) }
                .compactMap { type in
                    guard let name = type.eventsName else { return nil }
                    func state(_ identity: StoredIdentity?, isNew: Bool) -> UserIdentityState {
                        UserIdentityState(
                            typeName: name,
                            value: identity?.value,
                            milliseconds: identity?.firstSet ?? now,
                            isNew: isNew
                        )
                    }
                    let change = UserEvent.identityChange(
                        old: state(old[type], isNew: false),
                        new: state(new[type], isNew: old[type] == nil)
                    )
                    return UserUpdate(change, of: mpid)
                }
        }
    }
}

extension IdentityType {
    fileprivate var rank: Int {
        switch self {
        case .customerID: 0
        case .email: 1
        default: 2
        }
    }
}
