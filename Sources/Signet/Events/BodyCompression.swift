//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetWire

/// How the bodies of event requests are compressed on their way; those of identity never are, they are signed as they are.
public struct BodyCompression: Sendable {
    /// What does it.
    package let encoder: BodyEncoder

    package init(encoder: BodyEncoder) {
        self.encoder = encoder
    }

    /// Not at all: the default.
    public static let none = BodyCompression(encoder: .identity)
}
