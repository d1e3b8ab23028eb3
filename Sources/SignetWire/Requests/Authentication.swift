// SPDX-License-Identifier: Apache-2.0

/// The method by which a request authenticates (IDSync HTTP API, "Authentication").
///
/// The Events API supports only Basic; its routes ignore the configured method.
package enum Authentication: Sendable, Hashable {
    /// The key in `x-mp-key`, and an HMAC-SHA256 digest of date, path and body in `x-mp-signature`.
    case hmac
    /// Key and secret in `Authorization`.
    case basic
    /// The key in `x-mp-key` and nothing else; the platform enables it for few workspaces.
    case keyOnly
}
