// SPDX-License-Identifier: Apache-2.0

extension SignetError {
    package static let requestInProgress = SignetError(
        .requestInProgress,
        "Another identity call of this installation is in progress, so nothing was sent. Try again when it ends, or "
            + "pass `whenBusy: .wait(upTo:)`."
    )

    package static let optedOut = SignetError(
        .optedOut,
        "The installation has opted out, so nothing was sent. Call `setOptedOut(false)` before identity calls."
    )

    package static let noUser = SignetError(
        .noUser,
        "This installation has no such user. Call `identify()` or `login(_:)` first, or take one of `allUsers`."
    )

    package static let mixedUp = SignetError(.unexpectedAnswer, "The answer belongs to another kind of call.")

    package static let closed = SignetError(.closed, "The installation is closed. Call `open(_:)` again.")
}
