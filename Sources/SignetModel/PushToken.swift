// SPDX-License-Identifier: Apache-2.0

/// A push token of a device, and the push service that issued it.
public struct PushToken: Sendable, Hashable {
    /// A push service.
    public enum Service: Sendable, Hashable, CaseIterable {
        /// Apple Push Notification service.
        case apns
        /// Apple Push Notification service for development builds; Iterable alone has a name for it.
        case apnsSandbox
        /// Firebase Cloud Messaging; Iterable calls it GCM.
        case firebase
        /// Google Cloud Messaging, the predecessor of Firebase, for Infobip applications that still use it.
        case gcm
        /// Huawei Mobile Services; Infobip alone reaches it.
        case hms
    }

    /// The token as the push service gave it: for APNs in hexadecimal, 1 to 4096 bytes.
    public let token: Secret
    /// The push service.
    public let service: Service

    /// Makes a push token; the limits are checked where it is used.
    public init(_ token: Secret, service: Service) {
        self.token = token
        self.service = service
    }
}

/// A change of whether push reaches a device (Events API v2, `push_registration`).
public struct PushRegistration: Sendable, Hashable {
    /// True when push reaches the device from now on; false when it no longer does.
    public var isRegistered: Bool
    /// The token of the push service.
    public var token: Secret

    /// Makes a registration.
    public init(isRegistered: Bool, token: Secret) {
        self.isRegistered = isRegistered
        self.token = token
    }
}
