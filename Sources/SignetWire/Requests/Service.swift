// SPDX-License-Identifier: Apache-2.0

/// A part of the platform with a host of its own.
package enum Service: Sendable, Hashable, CaseIterable {
    /// IDSync HTTP API: identify, login, logout, search, modify.
    case identity
    /// The alias request, on the host of the vendors' own SDKs.
    case alias
    /// Events API v2.
    case events
}
