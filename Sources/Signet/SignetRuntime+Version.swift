// SPDX-License-Identifier: Apache-2.0

import SignetWire

extension SignetRuntime {
    /// The version of Signet, such as `0.1.0`; that of `main` is the one that is tagged next.
    ///
    /// Requests have it as `client_sdk.sdk_version`, and `signet --version` prints it. Name it in a report of a defect.
    public static let version: String = ClientInfo.signet.version
}
