//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

import struct FoundationEssentials.Date

extension ConsentState {
    /// The state as it is kept: purposes as the platform spells them, each with its moment.
    ///
    /// - Parameter now: Milliseconds since 1970, for what has no moment.
    /// - Returns: The state to keep.
    /// - Throws: `invalidArgument` beyond a limit, for an empty purpose, and for two that are the same.
    func checked(now: Int64) throws(SignetError) -> ConsentState {
        var checked = ConsentState(ccpaDataSaleOptOut: self.ccpaDataSaleOptOut?.dated(now))
        for (text, consent) in self.gdpr { checked.gdpr[Self.purpose(text)] = consent.dated(now) }
        guard checked.gdpr.count == self.gdpr.count else {
            throw SignetError(
                .invalidArgument,
                "Two GDPR purposes differ only in case or space around them, which makes them the same; give one of them."
            )
        }
        if let violation = ConsentLimits.violation(of: checked) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        return checked
    }
}

extension Consent {
    /// With a moment, to the millisecond, as it is kept.
    fileprivate func dated(_ now: Int64) -> Consent {
        var dated = self
        // What is no moment is refused afterwards.
        if let timestamp = self.timestamp, !timestamp.timeIntervalSince1970.isFinite { return self }
        dated.timestamp = Date(milliseconds: self.timestamp?.milliseconds ?? now)
        return dated
    }
}
