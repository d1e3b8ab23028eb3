// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The pauses of automatic identifies after failures, per installation.
///
/// Outlives the objects of installations, because a server drops them between two requests of a visitor.
struct IdentifyPauses: Sendable {
    private struct Pause {
        var backOff = BackOff()
        var code: SignetError.Code
    }

    /// The most installations with a pause; beyond it, those whose pause is over are forgotten, then half of all.
    static let limit = 65_536

    /// By hash, as in the registry: a collision delays one identify.
    private var pauses: [Int: Pause] = [:]

    /// The number of installations with a pause.
    var count: Int { self.pauses.count }

    /// Takes the outcome of an automatic identify.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - id: The installation.
    ///   - now: Uptime.
    ///   - jitter: From 0 to 1.
    mutating func take(_ outcome: IdentityOutcome, of id: InstallationID, now: Duration, jitter: Double) {
        guard case .failed(let error) = outcome else { return self.clear(id) }
        guard Self.delays(error.code) else { return }
        let key = id.hashValue
        if self.pauses[key] == nil, self.pauses.count >= Self.limit { self.makeRoom(now) }
        var pause = self.pauses[key] ?? Pause(code: error.code)
        pause.code = error.code
        pause.backOff.fail(error, now: now, jitter: jitter)
        self.pauses[key] = pause
    }

    /// Forgets the pause of an installation.
    mutating func clear(_ id: InstallationID) {
        self.pauses[id.hashValue] = nil
    }

    /// The error of an open during a pause; nil if there is none.
    func error(of id: InstallationID, now: Duration) -> SignetError? {
        guard let pause = self.pauses[id.hashValue], let until = pause.backOff.pausedUntil, until > now else {
            return nil
        }
        return SignetError(
            pause.code,
            "The last automatic identify of this installation failed, so `open` sent none. It sends one again after the "
                + "pause; `identify()` and `login()` send one now.",
            retryAfter: until - now
        )
    }

    private mutating func makeRoom(_ now: Duration) {
        self.pauses = self.pauses.filter { $0.value.backOff.isPaused(at: now) }
        guard self.pauses.count > Self.limit / 2 else { return }
        for key in Array(self.pauses.keys.prefix(Self.limit / 2)) { self.pauses[key] = nil }
    }

    /// True for failures of the platform, the way to it, or the shared store.
    private static func delays(_ code: SignetError.Code) -> Bool {
        switch code {
        // Not sent: too many requests were in flight here.
        case .notRunning, .cancelled, .closed, .optedOut, .requestInProgress, .superseded, .notSent: false
        default: true
        }
    }
}
