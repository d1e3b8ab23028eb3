// SPDX-License-Identifier: Apache-2.0

public import SignetModel

// Attributes of users. Persisted before the call returns; works without `run()`. The user is chosen at the call: a
// concurrent change of users does not affect it. Each real change is logged as an event of that user.
extension Installation {
    /// Sets an attribute of a user; batches carry it from now on.
    ///
    /// Keys are not case-sensitive, and a letter with a mark is the same in either form of Unicode (`é` as one code point or
    /// two), as in each Swift dictionary; the first spelling stays. `ReservedAttribute` lists the keys that the platform
    /// knows. A user has at most 100 attributes, and all of them together at most 96 KiB of JSON.
    ///
    /// - Parameters:
    ///   - value: The value: a text of 1 to 4096 characters, a number, a list of 1 to 1000 entries of at most 512
    ///     characters, or `.null`, which makes the attribute a tag. Nil removes the attribute.
    ///   - key: The attribute's key, 1 to 256 characters.
    ///   - mpid: The user's MPID; nil for the current user at the call. Before the first user, the value is kept for
    ///     that user.
    /// - Throws: `invalidArgument` beyond a documented limit, `noUser` for a user who was never here, `limitReached`
    ///   when 1000 removals of the user wait for a batch, `optedOut`, `closed`, `diskFull`, `diskFailed`, `notRunning`
    ///   after the end of the runtime. `limitReached` also if the installation is full and no user can leave it, see ``allUsers``.
    ///   After an error nothing was changed.
    public func setAttribute(
        _ value: AttributeValue?,
        for key: String,
        of mpid: MPID? = nil
    ) async throws(SignetError) {
        try AttributeEditor.check(value ?? .null, for: key)
        try await self.core.changeAttributes(of: mpid) { editor throws(SignetError) in try editor.set(value, for: key) }
    }

    /// Removes an attribute of a user; the user's next batch carries the removal.
    ///
    /// - Parameters:
    ///   - key: The attribute's key; an unknown key has no effect.
    ///   - mpid: The user's MPID; nil for the current user at the call.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func removeAttribute(_ key: String, of mpid: MPID? = nil) async throws(SignetError) {
        try await self.setAttribute(nil, for: key, of: mpid)
    }

    /// Makes an attribute a tag, which has no value.
    ///
    /// - Parameters:
    ///   - key: The attribute's key, 1 to 256 characters.
    ///   - mpid: The user's MPID; nil for the current user at the call.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func setTag(_ key: String, of mpid: MPID? = nil) async throws(SignetError) {
        try await self.setAttribute(.null, for: key, of: mpid)
    }

    /// Replaces all attributes of a user: sets the given ones and removes all others, at once.
    ///
    /// - Parameters:
    ///   - attributes: At most 100; keys must differ in more than case.
    ///   - mpid: The user's MPID; nil for the current user at the call.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func setAttributes(
        _ attributes: [String: AttributeValue],
        of mpid: MPID? = nil
    ) async throws(SignetError) {
        for (key, value) in attributes { try AttributeEditor.check(value, for: key) }
        try await self.core.changeAttributes(of: mpid) { editor throws(SignetError) in
            try editor.replaceAll(by: attributes)
        }
    }

    /// Adds to a numeric attribute atomically; concurrent increments are all counted.
    ///
    /// Numbers are added in decimal: 0.1 and 0.2 make 0.3. Whole numbers are added exactly. With a double among them
    /// the sum is a double, and whole numbers beyond 2^53 lose their last digits.
    ///
    /// - Parameters:
    ///   - key: The attribute's key; a missing attribute counts as zero.
    ///   - amount: `.integer` or `.double`.
    ///   - mpid: The user's MPID; nil for the current user at the call.
    /// - Returns: The sum.
    /// - Throws: As ``setAttribute(_:for:of:)``; `invalidArgument` also if the attribute is not a number, or the sum
    ///   exceeds the range of a number.
    @discardableResult
    public func incrementAttribute(
        _ key: String,
        by amount: AttributeValue = 1,
        of mpid: MPID? = nil
    ) async throws(SignetError) -> AttributeValue {
        try AttributeEditor.check(amount, for: key)
        return try await self.core.changeAttributes(of: mpid) { editor throws(SignetError) in
            try editor.increment(key, by: amount)
        }
    }

    /// Copies the previous user's attributes to the new user, after an identity call that switched users.
    ///
    /// It takes the attributes as of the switch, and sets them for the user of the result, even if another user is
    /// current by now. Attributes of other names stay. It does nothing if the call did not switch users. It also copies
    /// from a customer: where one customer may follow another without a logout between, check
    /// ``IdentityResult/previousGuest`` first.
    ///
    /// - Parameter result: The result of ``login(_:whenBusy:retry:)``, ``logout(_:whenBusy:retry:)`` or
    ///   ``identify(_:whenBusy:retry:)``.
    /// - Throws: As ``setAttribute(_:for:of:)``.
    public func copyAttributes(after result: IdentityResult) async throws(SignetError) {
        guard let attributes = result.previousUser?.attributes else { return }
        try await self.core.changeAttributes(of: result.user.mpid) { editor throws(SignetError) in
            for (key, value) in attributes.sorted(by: { $0.key < $1.key }) { try editor.set(value, for: key) }
        }
    }
}
