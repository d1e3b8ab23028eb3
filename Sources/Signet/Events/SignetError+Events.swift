// SPDX-License-Identifier: Apache-2.0

extension SignetError {
    static let eventOptOut = SignetError(
        .optedOut,
        "The installation has opted out; events are not accepted. Call `setOptedOut(false)` before logging."
    )
}
