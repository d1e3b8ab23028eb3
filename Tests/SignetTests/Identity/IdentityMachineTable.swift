// SPDX-License-Identifier: Apache-2.0

@testable import Signet

/// The cells of ``IdentityStateMachineTests``, by hand.
///
/// A late answer is one to call 0 after it lost the slot: the rows `finishCurrent` and `finishFailed` in the last columns.
enum IdentityMachineTable {
    /// The columns are the states in the order of `Setup`: the two of nobody waiting, then the same with call 1 waiting, then the
    /// pauses, and at last those in which call 1 has taken the slot from call 0 in its pause.
    static let rows: [(event: IdentityStateMachineTests.Event, cells: [String])] = [
        (
            .beginAppRefuse,
            [
                "start 0 > R0", "wait 1 > R0 W1", "requestInProgress > R0", "wait 1 > S0 W1",
                "requestInProgress > S0",
                "requestInProgress > R0 W1", "requestInProgress > R0 W1", "requestInProgress > S0 W1",
                "requestInProgress > S0 W1", "notRunning > X",
                "start 1 > R1 D0", "requestInProgress > P0", "requestInProgress > P0 W1",
                "requestInProgress > R1 D0", "requestInProgress > S1 D0", "start 2 > R2 D0",
            ]
        ),
        (
            .beginAppWait,
            [
                "start 0 > R0", "wait 1 > R0 W1", "wait 1 > R0 W1", "wait 1 > S0 W1", "wait 1 > S0 W1",
                "wait 2 > R0 W1 2", "wait 2 > R0 W1 2", "wait 2 > S0 W1 2", "wait 2 > S0 W1 2", "notRunning > X",
                "start 1 > R1 D0", "wait 1 > P0 W1", "wait 2 > P0 W1 2", "wait 2 > R1 W2 D0", "wait 2 > S1 W2 D0",
                "start 2 > R2 D0",
            ]
        ),
        (
            .beginOwn,
            [
                "start 0 > R0", "wait 1 > R0 W1", "wait 1 > R0 W1", "wait 1 > S0 W1", "wait 1 > S0 W1",
                "wait 2 > R0 W1 2", "wait 2 > R0 W1 2", "wait 2 > S0 W1 2", "wait 2 > S0 W1 2", "notRunning > X",
                "wait 1 > P0 W1", "wait 1 > P0 W1", "wait 2 > P0 W1 2", "wait 2 > R1 W2 D0", "wait 2 > S1 W2 D0",
                "start 2 > R2 D0",
            ]
        ),
        (
            .beginUnchanged,
            [
                "unchanged > F", "wait 1 > R0 W1", "requestInProgress > R0", "wait 1 > S0 W1",
                "requestInProgress > S0",
                "requestInProgress > R0 W1", "requestInProgress > R0 W1", "requestInProgress > S0 W1",
                "requestInProgress > S0 W1", "notRunning > X",
                "unchanged > P0", "requestInProgress > P0", "requestInProgress > P0 W1", "requestInProgress > R1 D0",
                "requestInProgress > S1 D0", "unchanged > F D0",
            ]
        ),
        (
            .beginOptedOut,
            [
                "optedOut > F", "wait 1 > R0 W1", "requestInProgress > R0", "wait 1 > S0 W1", "requestInProgress > S0",
                "requestInProgress > R0 W1", "requestInProgress > R0 W1", "requestInProgress > S0 W1",
                "requestInProgress > S0 W1", "notRunning > X",
                "optedOut > P0", "requestInProgress > P0", "requestInProgress > P0 W1", "requestInProgress > R1 D0",
                "requestInProgress > S1 D0", "optedOut > F D0",
            ]
        ),
        (
            .startCurrent,
            [
                "ignore > F", "send > S0", "send > S0", "ignore > S0", "ignore > S0",
                "send > S0 W1", "send > S0 W1", "ignore > S0 W1", "ignore > S0 W1", "ignore > X",
                "ignore > P0", "ignore > P0", "ignore > P0 W1", "ignore > R1 D0", "ignore > S1 D0", "ignore > F D0",
            ]
        ),
        (
            .startWaiting,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "ignore > S0", "ignore > S0",
                "ignore > R0 W1", "ignore > R0 W1", "ignore > S0 W1", "ignore > S0 W1", "ignore > X",
                "ignore > P0", "ignore > P0", "ignore > P0 W1", "send > S1 D0", "ignore > S1 D0", "ignore > F D0",
            ]
        ),
        (.startStale, Self.unmoved("ignore")),
        (
            .startOptedOut,
            [
                "ignore > F", "optedOut > F", "optedOut > F", "ignore > S0", "ignore > S0",
                "optedOut, next 1 > R1", "optedOut, next 1 > R1", "ignore > S0 W1", "ignore > S0 W1", "ignore > X",
                "ignore > P0", "ignore > P0", "ignore > P0 W1", "ignore > R1 D0", "ignore > S1 D0", "ignore > F D0",
            ]
        ),
        (
            .finishCurrent,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "user 2 > F", "user 2 > F",
                "ignore > R0 W1", "ignore > R0 W1", "user 2, next 1 > R1", "user 2, next 1 > R1", "ignore > X",
                "ignore > P0", "ignore > P0", "ignore > P0 W1", "ignore > R1 D0", "ignore > S1 D0", "ignore > F D0",
            ]
        ),
        (
            .finishFailed,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "timedOut > F", "timedOut > F",
                "ignore > R0 W1", "ignore > R0 W1", "timedOut, next 1 > R1", "timedOut, next 1 > R1", "ignore > X",
                "ignore > P0", "ignore > P0", "ignore > P0 W1", "ignore > R1 D0", "ignore > S1 D0", "ignore > F D0",
            ]
        ),
        (
            .finishWaiting,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "ignore > S0", "ignore > S0",
                "ignore > R0 W1", "ignore > R0 W1", "ignore > S0 W1", "ignore > S0 W1", "ignore > X",
                "ignore > P0", "ignore > P0", "ignore > P0 W1", "ignore > R1 D0", "user 2 > F D0", "ignore > F D0",
            ]
        ),
        (.finishStale, Self.unmoved("ignore")),
        (
            .withdrawCurrent,
            [
                "ignore > F", "withdrawn > F", "withdrawn > F", "detached > S0", "detached > S0",
                "withdrawn, next 1 > R1", "withdrawn, next 1 > R1", "detached > S0 W1", "detached > S0 W1",
                "ignore > X",
                "withdrawn > F", "withdrawn > F", "withdrawn, next 1 > R1", "withdrawn > R1", "withdrawn > S1",
                "withdrawn > F",
            ]
        ),
        (
            .withdrawWaiting,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "ignore > S0", "ignore > S0",
                "withdrawn > R0", "withdrawn > R0", "withdrawn > S0", "withdrawn > S0", "ignore > X",
                "ignore > P0", "ignore > P0", "withdrawn > P0", "withdrawn > F D0", "detached > S1 D0",
                "ignore > F D0",
            ]
        ),
        (.withdrawStale, Self.unmoved("ignore")),
        (.giveUpCurrent, Self.unmoved("kept")),
        (
            .giveUpWaiting,
            [
                "kept > F", "kept > R0", "kept > R0", "kept > S0", "kept > S0",
                "gone > R0", "gone > R0", "gone > S0", "gone > S0", "kept > X",
                "kept > P0", "kept > P0", "gone > P0", "kept > R1 D0", "kept > S1 D0", "kept > F D0",
            ]
        ),
        (.giveUpStale, Self.unmoved("kept")),
        (
            .pauseCurrent,
            [
                "nobody > F", "nobody > R0", "nobody > R0", "nobody > P0", "nobody > P0",
                "nobody > R0 W1", "nobody > R0 W1", "next 1 > R1 D0", "nobody > P0 W1", "nobody > X",
                "nobody > P0", "nobody > P0", "nobody > P0 W1", "nobody > R1 D0", "nobody > S1 D0", "nobody > F D0",
            ]
        ),
        (
            .pauseWaiting,
            [
                "nobody > F", "nobody > R0", "nobody > R0", "nobody > S0", "nobody > S0",
                "nobody > R0 W1", "nobody > R0 W1", "nobody > S0 W1", "nobody > S0 W1", "nobody > X",
                "nobody > P0", "nobody > P0", "nobody > P0 W1", "nobody > R1 D0", "nobody > P1 D0", "nobody > F D0",
            ]
        ),
        (.pauseStale, Self.unmoved("nobody")),
        (
            .resumeCurrent,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "ignore > S0", "ignore > S0",
                "ignore > R0 W1", "ignore > R0 W1", "ignore > S0 W1", "ignore > S0 W1", "ignore > X",
                "send > S0", "send > S0", "send > S0 W1", "ignore > R1 W0", "ignore > S1 W0", "send > S0",
            ]
        ),
        (.resumeWaiting, Self.unmoved("ignore")),
        (.resumeStale, Self.unmoved("ignore")),
        (
            .resumeOptedOut,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "ignore > S0", "ignore > S0",
                "ignore > R0 W1", "ignore > R0 W1", "ignore > S0 W1", "ignore > S0 W1", "ignore > X",
                "optedOut > F", "optedOut > F", "optedOut, next 1 > R1", "ignore > R1 W0", "ignore > S1 W0",
                "optedOut > F",
            ]
        ),
        (
            .abandonCurrent,
            [
                "ignore > F", "ignore > R0", "ignore > R0", "ignore > S0", "ignore > S0",
                "ignore > R0 W1", "ignore > R0 W1", "ignore > S0 W1", "ignore > S0 W1", "ignore > X",
                "withdrawn > F", "withdrawn > F", "withdrawn, next 1 > R1", "withdrawn > R1", "withdrawn > S1",
                "withdrawn > F",
            ]
        ),
        (.abandonStale, Self.unmoved("ignore")),
        (
            .stop,
            [
                "tell > X", "tell 0 > X", "tell 0 > X", "tell 0 > X", "tell 0 > X",
                "tell 0 1 > X", "tell 0 1 > X", "tell 0 1 > X", "tell 0 1 > X", "tell > X",
                "tell 0 > X", "tell 0 > X", "tell 0 1 > X", "tell 1 0 > X", "tell 1 0 > X", "tell 0 > X",
            ]
        ),
    ]

    private static func unmoved(_ action: String) -> [String] {
        [
            "F", "R0", "R0", "S0", "S0", "R0 W1", "R0 W1", "S0 W1", "S0 W1", "X",
            "P0", "P0", "P0 W1", "R1 D0", "S1 D0", "F D0",
        ]
        .map { "\(action) > \($0)" }
    }
}
