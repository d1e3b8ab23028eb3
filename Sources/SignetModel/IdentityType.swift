// SPDX-License-Identifier: Apache-2.0

/// A kind of identity that the platform can resolve a user by, such as a customer id or an e-mail address.
///
/// The set is open: make further types with ``init(wireName:eventsName:isDevice:)``. Two types are the same when their
/// wire names are.
public struct IdentityType: Sendable {
    /// The name in IDSync requests (IDSync HTTP API, `known_identities` and `identity_type`).
    public let wireName: String

    /// The name in `user_identities` of an Events API batch; nil for device identities, which a batch does not carry there.
    public let eventsName: String?

    /// True when the identity belongs to a device, not to a person.
    public let isDevice: Bool

    /// Makes a type that this version of Signet does not know.
    ///
    /// - Parameters:
    ///   - wireName: The name in IDSync requests. The platform refuses a whole request for one name it does not know.
    ///   - eventsName: The name in `user_identities` of a batch, when the platform has one.
    ///   - isDevice: True when the identity belongs to a device.
    public init(wireName: String, eventsName: String? = nil, isDevice: Bool = false) {
        self.wireName = wireName
        self.eventsName = eventsName
        self.isDevice = isDevice
    }

    /// Finds the known type of a wire name, or makes a user identity type with that name.
    ///
    /// - Parameter wireName: The name in IDSync requests.
    public init(wireName: String) {
        self = Self.byWireName[wireName] ?? Self(wireName: wireName, eventsName: nil)
    }

    private static let byWireName = Dictionary(uniqueKeysWithValues: Self.known.map { ($0.wireName, $0) })
}

extension IdentityType: Hashable {
    /// Compares the wire names.
    public static func == (lhs: IdentityType, rhs: IdentityType) -> Bool {
        lhs.wireName == rhs.wireName
    }

    /// Hashes the wire name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.wireName)
    }
}

extension IdentityType: Comparable, CustomStringConvertible {
    /// Orders by wire name, so that requests have a stable order.
    public static func < (lhs: IdentityType, rhs: IdentityType) -> Bool {
        lhs.wireName < rhs.wireName
    }

    /// The wire name.
    public var description: String {
        self.wireName
    }
}

// Names: IDSync HTTP API (`known_identities`) and Events API v2 (`user_identities`). The platform refuses every request
// that carries a wrong wire name, so each name is written here once and again in a table of the tests.
extension IdentityType {
    /// Your own id of a customer.
    public static let customerID = IdentityType(wireName: "customerid", eventsName: "customer_id")
    /// An e-mail address.
    public static let email = IdentityType(wireName: "email", eventsName: "email")
    /// A mobile phone number.
    public static let mobileNumber = IdentityType(wireName: "mobile_number", eventsName: "mobile_number")
    /// A second phone number.
    public static let phoneNumber2 = IdentityType(wireName: "phone_number_2", eventsName: "phone_number_2")
    /// A third phone number.
    public static let phoneNumber3 = IdentityType(wireName: "phone_number_3", eventsName: "phone_number_3")
    /// A Facebook id.
    public static let facebook = IdentityType(wireName: "facebook", eventsName: "facebook")
    /// A Facebook custom audience id.
    public static let facebookCustomAudienceID = IdentityType(
        wireName: "facebookcustomaudienceid",
        eventsName: "facebook_custom_audience_id"
    )
    /// A Google id.
    public static let google = IdentityType(wireName: "google", eventsName: "google")
    /// A Microsoft id.
    public static let microsoft = IdentityType(wireName: "microsoft", eventsName: "microsoft")
    /// A Twitter id.
    public static let twitter = IdentityType(wireName: "twitter", eventsName: "twitter")
    /// A Yahoo id.
    public static let yahoo = IdentityType(wireName: "yahoo", eventsName: "yahoo")
    /// An alias of the user; not to be confused with the alias request.
    public static let alias = IdentityType(wireName: "alias", eventsName: "alias")
    /// A first identity of your own; also the slot of a hashed e-mail address.
    public static let other = IdentityType(wireName: "other", eventsName: "other")
    /// A second identity of your own; also the slot of a hashed mobile number.
    public static let other2 = IdentityType(wireName: "other2", eventsName: "other_id_2")
    /// Identity 3 of your own.
    public static let other3 = IdentityType(wireName: "other3", eventsName: "other_id_3")
    /// Identity 4 of your own.
    public static let other4 = IdentityType(wireName: "other4", eventsName: "other_id_4")
    /// Identity 5 of your own.
    public static let other5 = IdentityType(wireName: "other5", eventsName: "other_id_5")
    /// Identity 6 of your own.
    public static let other6 = IdentityType(wireName: "other6", eventsName: "other_id_6")
    /// Identity 7 of your own.
    public static let other7 = IdentityType(wireName: "other7", eventsName: "other_id_7")
    /// Identity 8 of your own.
    public static let other8 = IdentityType(wireName: "other8", eventsName: "other_id_8")
    /// Identity 9 of your own.
    public static let other9 = IdentityType(wireName: "other9", eventsName: "other_id_9")
    /// Identity 10 of your own.
    public static let other10 = IdentityType(wireName: "other10", eventsName: "other_id_10")

    /// The advertising identifier of an Apple device.
    public static let iosAdvertiserID = IdentityType(wireName: "ios_idfa", eventsName: nil, isDevice: true)
    /// The vendor identifier of an Apple device.
    public static let iosVendorID = IdentityType(wireName: "ios_idfv", eventsName: nil, isDevice: true)
    /// The push token of the installation.
    public static let pushToken = IdentityType(wireName: "push_token", eventsName: nil, isDevice: true)
    /// The permanent id of the installation; Signet adds it to every request.
    public static let deviceApplicationStamp = IdentityType(
        wireName: "device_application_stamp",
        eventsName: nil,
        isDevice: true
    )
    /// The advertising id of an Android device.
    public static let androidAdvertisingID = IdentityType(wireName: "android_aaid", eventsName: nil, isDevice: true)
    /// The id of an Android device.
    public static let androidUUID = IdentityType(wireName: "android_uuid", eventsName: nil, isDevice: true)
    /// The client id of an AMP page.
    public static let ampID = IdentityType(wireName: "amp_id", eventsName: nil, isDevice: true)
    /// The advertising id of a Roku device.
    public static let rokuAdvertisingID = IdentityType(wireName: "roku_aid", eventsName: nil, isDevice: true)
    /// The publisher id of a Roku device.
    public static let rokuPublisherID = IdentityType(wireName: "roku_publisher_id", eventsName: nil, isDevice: true)
    /// The advertising id of a Fire device.
    public static let fireAdvertisingID = IdentityType(wireName: "fire_aid", eventsName: nil, isDevice: true)

    /// Every type that this version of Signet knows by name, user identities first.
    public static let known: [IdentityType] = [
        .customerID, .email, .mobileNumber, .phoneNumber2,
        .phoneNumber3, .facebook, .facebookCustomAudienceID, .google,
        .microsoft, .twitter, .yahoo, .alias,
        .other, .other2, .other3, .other4,
        .other5, .other6, .other7, .other8,
        .other9, .other10, .iosAdvertiserID, .iosVendorID,
        .pushToken, .deviceApplicationStamp, .androidAdvertisingID, .androidUUID,
        .ampID, .rokuAdvertisingID, .rokuPublisherID, .fireAdvertisingID,
    ]
}
