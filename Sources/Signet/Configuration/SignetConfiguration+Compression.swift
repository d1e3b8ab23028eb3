// SPDX-License-Identifier: Apache-2.0

package import SignetWire

extension SignetConfiguration.Events {
    /// The compression of the bodies of event requests.
    ///
    /// Bodies of identity requests are never compressed: they are signed as they are.
    public struct Compression: Sendable {
        /// The encoder that compresses a body.
        package let encoder: BodyEncoder

        package init(encoder: BodyEncoder) {
            self.encoder = encoder
        }

        /// No compression, the default.
        public static let none = SignetConfiguration.Events.Compression(encoder: .identity)
    }
}
