// SPDX-License-Identifier: Apache-2.0

/// The kind of client that sends identity requests (IDSync HTTP API, `client_sdk.platform`): the platform's whole list.
public enum ClientPlatform: String, Sendable, Hashable, CaseIterable {
    /// Alexa.
    case alexa
    /// Android.
    case android
    /// Fire OS.
    case fire
    /// iOS and iPadOS.
    case ios
    /// None of the others: a server, Linux, macOS, watchOS, visionOS, Windows.
    case other
    /// Roku.
    case roku
    /// A television of another kind.
    case smartTV = "smart_tv"
    /// tvOS.
    case tvos
    /// A browser.
    case web
    /// Xbox.
    case xbox

    /// The platform of this process; `other` where the list does not name it.
    public static var current: ClientPlatform {
        #if os(iOS)
        .ios
        #elseif os(tvOS)
        .tvos
        #elseif os(Android)
        .android
        #else
        .other
        #endif
    }
}
