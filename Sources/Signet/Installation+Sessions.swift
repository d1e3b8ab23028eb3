// SPDX-License-Identifier: Apache-2.0

public import SignetModel
import SignetWire

extension Installation {
    // MARK: - The session

    /// The current session; nil after the last one has ended and before the next begins.
    public var currentSession: Session? {
        self.core.currentSession
    }

    /// The summary of the session so far; nil without one.
    public var sessionSummary: Session.Summary? {
        self.core.sessionSummary
    }

    /// The launch counts; nil if launches are not reported (``SignetConfiguration/Sessions/reportsApplicationState``).
    ///
    /// A launch is the first open of an id in a process, or the first one after ``endLaunch()``. The counts are not
    /// sent to the platform: the Events API has no field for them.
    ///
    /// - Returns: The counts, as on disk.
    /// - Throws: `diskFailed`, `notRunning` after the end of the runtime.
    public func launches() throws(SignetError) -> Installation.LaunchCounts? {
        try self.core.launches().map { Installation.LaunchCounts($0) }
    }

    /// Begins a session now; does nothing if there is one.
    ///
    /// With a shared store all replicas have it when the call returns.
    ///
    /// - Throws: `closed`, `optedOut`, `limitReached`, `diskFull`, `diskFailed`; the errors of a shared
    ///   store; `notRunning` after the end of the runtime. After an error there is no session.
    public nonisolated(nonsending) func beginSession() async throws(SignetError) {
        try await self.core.beginSession()
    }

    /// Ends the session now; does nothing without one.
    ///
    /// With a shared store it ends for all replicas.
    ///
    /// - Throws: As ``beginSession()``. After an error the session continues.
    public nonisolated(nonsending) func endSession() async throws(SignetError) {
        try await self.core.endSession()
    }

    /// Sets an attribute of the session, which is sent with its end (Events API v2, `session_end`).
    ///
    /// A name that differs from an existing one only in case replaces its value. The attribute survives the death of
    /// the process.
    ///
    /// - Parameters:
    ///   - value: A text of at most 4096 characters, a finite number, a flag or a date; nil removes it.
    ///   - name: 1 to 256 characters, except the end's own names (`$EventCount`, `$ForegroundTimeMs`, `$SessionMPIDs`);
    ///     at most 90 for one session, and at most 64 KB of JSON together.
    /// - Throws: `noSession`, `invalidArgument`, `closed`, `optedOut`, `diskFull`, `diskFailed`, `notRunning` after the
    ///   end of the runtime. After an error nothing was changed.
    public nonisolated(nonsending) func setSessionAttribute(
        _ value: AttributeValue?,
        for name: String
    ) async throws(SignetError) {
        try await self.core.changeSessionAttributes { attributes throws(SignetError) in
            try attributes.set(value, for: name)
        }
    }

    /// Adds to a numeric attribute of the session; a missing one counts as zero.
    ///
    /// The change is atomic. Numbers are added as by ``incrementAttribute(_:by:of:)``.
    ///
    /// - Parameters:
    ///   - name: The attribute's name.
    ///   - amount: The amount to add: `.integer` or `.double`.
    /// - Returns: The new number.
    /// - Throws: As ``setSessionAttribute(_:for:)``; `invalidArgument` also if the attribute or the amount is not a number, or
    ///   the sum is too great.
    @discardableResult
    public nonisolated(nonsending) func incrementSessionAttribute(
        _ name: String,
        by amount: AttributeValue = 1
    ) async throws(SignetError) -> AttributeValue {
        guard amount.isNumber else { throw .notANumber("can only be incremented by .integer or .double") }
        return try await self.core.changeSessionAttributes { attributes throws(SignetError) in
            try attributes.increment(name, by: amount)
        }
    }

    // MARK: - The app

    /// Records that the app enters the background: from now on its session can time out.
    ///
    /// A repeated call does not restart the timeout, which counts from the first call or from the last event since.
    /// Logged events are uploaded within ``SignetConfiguration/Events/priorityUploadDelay``, because many systems end
    /// apps in the background.
    ///
    /// - Throws: `closed`, `optedOut`; `limitReached`, `diskFull`, `diskFailed` if the transition event could not be
    ///   logged, though the app is in the background now; `notRunning` after the end of the runtime.
    public func enterBackground() throws(SignetError) {
        try self.core.enterBackground()
    }

    /// Records that the app enters the foreground: its session continues, or the next one begins if the timeout is
    /// over.
    ///
    /// - Parameter launchReferral: The referral that brought it there, such as a link.
    /// - Throws: `closed`, `optedOut`; `limitReached`, `diskFull`, `diskFailed` if a begin or end could not be written,
    ///   or the transition event could not be logged; `notRunning` after the end of the runtime.
    public func enterForeground(launchReferral: String? = nil) throws(SignetError) {
        try self.core.enterForeground(launchReferral)
    }
}

extension [String: AttributeValue] {
    /// The most attributes of a session: an event has 100, and `session_end` adds some.
    private static let sessionLimit = 90
    /// The most bytes of JSON of a session's attributes: a batch has 128 KB, in which `session_end` must fit.
    private static let sessionBytes = 64 * 1024

    private func spelling(of name: String) -> String? {
        if self[name] != nil { return name }
        let folded = name.lowercased()
        return self.keys.first { $0.lowercased() == folded }
    }

    /// Adds to a number; a missing attribute counts as zero.
    ///
    /// - Returns: The sum.
    fileprivate mutating func increment(
        _ name: String,
        by amount: AttributeValue
    ) throws(SignetError) -> AttributeValue {
        let old = self.spelling(of: name).flatMap { self[$0] } ?? .integer(0)
        guard old.isNumber else { throw .notANumber("is not a number") }
        guard let sum = old.adding(amount) else { throw .notANumber("would exceed the range of a number") }
        try self.set(sum, for: name)
        return sum
    }

    fileprivate mutating func set(_ value: AttributeValue?, for name: String) throws(SignetError) {
        guard let value else {
            if let key = self.spelling(of: name) { self[key] = nil }
            return
        }
        switch value {
        case .list, .null:
            throw SignetError(.invalidArgument, "A session attribute must be a text, a number, a Boolean or a date.")
        default: break
        }
        if let violation = EventLimits.violation(ofAttribute: name, value: value) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        guard !EventBody.sessionNames.contains(name.lowercased()) else {
            throw SignetError(.invalidArgument, "session_end sets \(name) itself. Choose another name.")
        }
        let key = self.spelling(of: name) ?? name
        guard self[key] != nil || self.count < Self.sessionLimit else {
            throw SignetError(
                .invalidArgument,
                "The session would have \(self.count + 1) attributes; at most \(Self.sessionLimit) are allowed."
            )
        }
        let size = EventBody.size(ofSession: self.merging([key: value]) { $1 })
        guard size <= Self.sessionBytes else {
            throw SignetError(
                .invalidArgument,
                "The session attributes would have \(size) bytes of JSON; at most \(Self.sessionBytes) are allowed."
            )
        }
        self[key] = value
    }
}

extension SignetError {
    fileprivate static func notANumber(_ problem: String) -> SignetError {
        SignetError(.invalidArgument, "The session attribute \(problem). Nothing was changed.")
    }
}
