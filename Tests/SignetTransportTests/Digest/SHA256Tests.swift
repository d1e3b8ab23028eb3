//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport
import Testing

@Suite struct SHA256Tests {
    /// FIPS 180-4 examples (https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values).
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func theExamplesOfTheStandardComeOut(message: String, digest: String) {
        #expect(Hexadecimal.encode(SHA256.hash(Array(message.utf8))) == digest)
    }
}
