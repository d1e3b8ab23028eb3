// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.Date

extension ConsentState {
    /// Checks the state and normalizes it: purposes in the platform's spelling, each consent with a timestamp.
    ///
    /// - Parameter now: Milliseconds since 1970, for consents without a timestamp.
    /// - Returns: The state to store.
    /// - Throws: `invalidArgument` beyond a limit, for an empty purpose, and for two that are the same.
    func checked(now: Int64) throws(SignetError) -> ConsentState {
        var checked = ConsentState(ccpaDataSaleOptOut: self.ccpaDataSaleOptOut?.dated(now))
        for (text, consent) in self.gdpr { checked.gdpr[Self.purpose(text)] = consent.dated(now) }
        guard checked.gdpr.count == self.gdpr.count else {
            throw SignetError(
                .invalidArgument,
                "Two GDPR purposes differ only in case or surrounding space, so they are the same. Give one of them."
            )
        }
        if let violation = ConsentLimits.violation(of: checked) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        return checked
    }
}

extension Consent {
    /// The consent with a timestamp in whole milliseconds, as it is stored.
    fileprivate func dated(_ now: Int64) -> Consent {
        var dated = self
        // A timestamp that is not finite is refused afterwards.
        if let timestamp = self.timestamp, !timestamp.timeIntervalSince1970.isFinite { return self }
        dated.timestamp = Date(milliseconds: self.timestamp?.milliseconds ?? now)
        return dated
    }
}
