// SPDX-License-Identifier: Apache-2.0

package import struct SignetModel.IdentityType

/// The platform's names of the identity types, spelled a second time on purpose.
///
/// The client has its own list. A name that only one of the two has is refused, and a test fails.
package enum IdentityName {
    // Sources: IDSync HTTP API, `known_identities`; Events API v2, `user_identities`. The Swagger file leaves out other2 to
    // other10, the phones, `alias` and `fire_aid`, but the platform's own clients send them: they are accepted.
    private static let users: [(wire: String, events: String)] = [
        ("customerid", "customer_id"),
        ("email", "email"),
        ("facebook", "facebook"),
        ("facebookcustomaudienceid", "facebook_custom_audience_id"),
        ("google", "google"),
        ("microsoft", "microsoft"),
        ("twitter", "twitter"),
        ("yahoo", "yahoo"),
        ("alias", "alias"),
        ("other", "other"),
        ("other2", "other_id_2"),
        ("other3", "other_id_3"),
        ("other4", "other_id_4"),
        ("other5", "other_id_5"),
        ("other6", "other_id_6"),
        ("other7", "other_id_7"),
        ("other8", "other_id_8"),
        ("other9", "other_id_9"),
        ("other10", "other_id_10"),
        ("mobile_number", "mobile_number"),
        ("phone_number_2", "phone_number_2"),
        ("phone_number_3", "phone_number_3"),
    ]

    private static let devices = [
        "ios_idfa", "ios_idfv", "push_token", "device_application_stamp", "android_aaid", "android_uuid", "amp_id",
        "roku_aid", "roku_publisher_id", "fire_aid",
    ]

    private static let byWireName: [String: IdentityType] = {
        var types: [String: IdentityType] = [:]
        for name in Self.users {
            types[name.wire] = IdentityType(wireName: name.wire, eventsName: name.events, isDevice: false)
        }
        for name in Self.devices {
            types[name] = IdentityType(wireName: name, eventsName: nil, isDevice: true)
        }
        return types
    }()

    private static let byEventsName = Dictionary(
        uniqueKeysWithValues: Self.users.map { ($0.events, IdentityType(wireName: $0.wire, eventsName: $0.events)) }
    )

    /// The names that `known_identities` may hold.
    static let wireNames = Set(Self.byWireName.keys)

    /// The names that `user_identities` may hold, as documented.
    static let eventsNames = Set(Self.byEventsName.keys)

    /// Returns the type of a name in IDSync requests; nil for an unknown name.
    package static func identityType(wireName: String) -> IdentityType? {
        Self.byWireName[wireName]
    }

    // The platform's own client for Python (`mparticle` 0.16.1 on PyPI) writes the name of the other interface.
    private static let otherEventsNames = ["customerid": "customer_id"]

    /// The names that `user_identities` may hold, including those that only a client of the platform uses.
    static let takenEventsNames = Self.eventsNames.union(Self.otherEventsNames.keys)

    /// Returns the type of a name in `user_identities` of a batch; nil for an unknown name.
    static func identityType(eventsName: String) -> IdentityType? {
        Self.byEventsName[Self.otherEventsNames[eventsName] ?? eventsName]
    }
}
