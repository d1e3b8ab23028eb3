//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel
import SignetWire

// Attributes of users. Persisted when the call returns; works without `run()`. Who is meant is decided when the call is
// made: a switch of users at the same time moves nothing. Each real change is told as an event of that user.
extension Installation {
    /// Sets an attribute of a user; batches carry it from now on.
    ///
    /// Keys match whatever their case; the first spelling stays. `ReservedAttribute` names those that the platform knows. A
    /// user has at most 100 attributes, and all of them together at most 96 KiB of JSON.
    ///
    /// - Parameters:
    ///   - value: The value: a text of 1 to 4096 characters, a number, a list of 1 to 1000 entries of at most 512 characters,
    ///     or `.null`, which makes the attribute a tag. Nil removes the attribute.
    ///   - key: Which attribute, 1 to 256 characters.
    ///   - mpid: Whose; nil for whoever is current at the call. While nobody is known, it is kept for the first user.
    /// - Throws: `invalidArgument` beyond a documented limit, `noUser` for a user who was never here, `limitReached` when
    ///   1000 removals of the user wait for a batch, `optOut`, `closed`, `diskFull`, `diskFailed`, `notRunning` after the
    ///   end of the runtime. Then nothing was changed.
    public func setAttribute(
        _ value: AttributeValue?,
        for key: String,
        of mpid: MPID? = nil
    ) async throws(SignetError) {
        try Self.check(value ?? .null, for: key)
        try await self.changeAttributes(of: mpid) { editor throws(SignetError) in try editor.set(value, for: key) }
    }

    /// Removes an attribute of a user; the user's next batch says so.
    ///
    /// - Parameters:
    ///   - key: Which attribute; nothing happens when there is none.
    ///   - mpid: Whose; nil for whoever is current at the call.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func removeAttribute(_ key: String, of mpid: MPID? = nil) async throws(SignetError) {
        try await self.setAttribute(nil, for: key, of: mpid)
    }

    /// Makes an attribute a tag: it is there, without a value.
    ///
    /// - Parameters:
    ///   - key: Which attribute, 1 to 256 characters.
    ///   - mpid: Whose; nil for whoever is current at the call.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func setTag(_ key: String, of mpid: MPID? = nil) async throws(SignetError) {
        try await self.setAttribute(.null, for: key, of: mpid)
    }

    /// Replaces all attributes of a user by others: removes those that are not among them and sets the rest, at once.
    ///
    /// - Parameters:
    ///   - attributes: At most 100; keys must differ in more than case.
    ///   - mpid: Whose; nil for whoever is current at the call.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func setAttributes(
        _ attributes: [String: AttributeValue],
        of mpid: MPID? = nil
    ) async throws(SignetError) {
        for (key, value) in attributes { try Self.check(value, for: key) }
        try await self.changeAttributes(of: mpid) { editor throws(SignetError) in
            try editor.replaceAll(by: attributes)
        }
    }

    /// Adds to an attribute that is a number, in one step: of many increments at once none is lost.
    ///
    /// Numbers are added as they are written: 0.1 and 0.2 make 0.3. Whole numbers are added exactly; with a double among
    /// them the sum is a double, and whole numbers beyond 2^53 lose their last digits.
    ///
    /// - Parameters:
    ///   - key: Which attribute; one that is not there counts as zero.
    ///   - amount: `.integer` or `.double`.
    ///   - mpid: Whose; nil for whoever is current at the call.
    /// - Returns: The sum.
    /// - Throws: As ``setAttribute(_:for:of:)``; `invalidArgument` also when the attribute is not a number, or the sum is
    ///   beyond what a number can be.
    @discardableResult
    public func incrementAttribute(
        _ key: String,
        by amount: AttributeValue = 1,
        of mpid: MPID? = nil
    ) async throws(SignetError) -> AttributeValue {
        try Self.check(amount, for: key)
        return try await self.changeAttributes(of: mpid) { editor throws(SignetError) in
            try editor.increment(key, by: amount)
        }
    }

    /// Gives the attributes of who was here before to who came, after an identity call that switched users.
    ///
    /// Takes them as of the switch, and sets them for the user of the result whoever is current by now; attributes of other
    /// names stay. Nothing happens when the call switched nobody. It does so for whoever was before: where one customer may
    /// follow another without a logout between, ask ``IdentityResult/previousGuest`` first.
    ///
    /// - Parameter result: What ``login(_:whenBusy:retry:)``, ``logout(_:whenBusy:retry:)`` or
    ///   ``identify(_:whenBusy:retry:)`` returned.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func copyAttributes(after result: IdentityResult) async throws(SignetError) {
        guard let attributes = result.previousUser?.attributes else { return }
        try await self.changeAttributes(of: result.user.mpid) { editor throws(SignetError) in
            for (key, value) in attributes.sorted(by: { $0.key < $1.key }) { try editor.set(value, for: key) }
        }
    }

    private func changeAttributes<Result: Sendable>(
        of mpid: MPID?,
        _ change: @Sendable (inout AttributeEditor) throws(SignetError) -> Result
    ) async throws(SignetError) -> Result {
        let target = mpid ?? self.core.identityState.directory.current
        guard self.core.phase == .open else { throw .closed }
        return try await self.core.identity.changeAttributes(of: target, change)
    }

    private static func check(_ value: AttributeValue, for key: String) throws(SignetError) {
        guard let violation = UserLimits.violation(ofAttribute: key, value: value) else { return }
        throw SignetError(.invalidArgument, violation.message, cause: violation)
    }
}
