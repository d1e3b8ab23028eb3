//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel
import SignetWire

extension Installation {
    // MARK: - The session

    /// The session now; nil when the last one has ended and nothing has happened since.
    public var currentSession: Session? {
        self.core.currentSession
    }

    /// What there was in the session so far; nil without one.
    public var sessionSummary: SessionSummary? {
        self.core.sessionSummary
    }

    /// How often its app was launched; nil where launches are not told (``SignetConfiguration/Sessions/reportsApplicationState``).
    ///
    /// A launch is the first open of an id in a process, or the first one after ``close()``. The platform is not told of
    /// the counts: the Events API has no field for them.
    ///
    /// - Returns: The counts, as on disk.
    /// - Throws: `diskFailed`, `notRunning` after the end of the runtime.
    public func launches() throws(SignetError) -> LaunchCounts? {
        try self.core.launches
    }

    /// Begins a session, now; nothing happens where there is one.
    ///
    /// - Throws: `closed`, `optOut`, `limitReached`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime.
    ///   Then there is none.
    public func beginSession() throws(SignetError) {
        try self.core.beginSession()
    }

    /// Ends the session, now; nothing happens where there is none.
    ///
    /// - Throws: `closed`, `optOut`, `limitReached`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime.
    ///   Then it goes on.
    public func endSession() throws(SignetError) {
        try self.core.endSession()
    }

    /// Says something of the session, which is told with its end (Events API v2, `session_end`).
    ///
    /// A name that differs from one that is there only in case stands for it. It survives the death of the process.
    ///
    /// - Parameters:
    ///   - value: A text of at most 4096 characters, a finite number, a flag or a date; nil removes it.
    ///   - name: 1 to 256 characters, and none that the end has by itself (`$EventCount`, `$ForegroundTimeMs`,
    ///     `$SessionMPIDs`); at most 90 for one session, and at most 64 KB of JSON together.
    /// - Throws: `noSession`, `invalidArgument`, `closed`, `optOut`, `diskFull`, `diskFailed`, `notRunning` after the end
    ///   of the runtime. Then nothing was changed.
    public func setSessionAttribute(_ value: AttributeValue?, for name: String) throws(SignetError) {
        try self.core.changeSessionAttributes { attributes throws(SignetError) in
            try attributes.set(value, for: name)
        }
    }

    /// Adds to a number that was said of the session; one that is missing counts as zero.
    ///
    /// Nobody else's change falls between reading and writing it. Numbers are added as they are written: 0.1 and 0.2 make
    /// 0.3. Whole numbers are added exactly; with a double among them the sum is a double, and whole numbers beyond 2^53
    /// lose their last digits.
    ///
    /// - Parameters:
    ///   - name: Which number.
    ///   - amount: What to add: `.integer` or `.double`.
    /// - Returns: The new number.
    /// - Throws: `noSession`; `invalidArgument` also where there is something else than a number, the amount is none, or the
    ///   sum is too great; `closed`, `optOut`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime. Then
    ///   nothing was changed.
    @discardableResult
    public func incrementSessionAttribute(
        _ name: String,
        by amount: AttributeValue = 1
    ) throws(SignetError) -> AttributeValue {
        guard amount.isNumber else { throw .notANumber("is incremented by a number: .integer or .double") }
        return try self.core.changeSessionAttributes { attributes throws(SignetError) in
            let old = attributes.value(for: name) ?? .integer(0)
            guard old.isNumber else { throw .notANumber("is not a number") }
            guard let sum = old.adding(amount) else { throw .notANumber("would be greater than a number can be") }
            try attributes.set(sum, for: name)
            return sum
        }
    }

    // MARK: - The app

    /// The app goes to the background: from now on its session can time out.
    ///
    /// Told twice, it counts from the first time, or from the last event since. What was logged so far goes to the platform
    /// within ``SignetConfiguration/Events/priorityUploadDelay``, for many systems end what is in the background.
    ///
    /// - Throws: `closed`, `optOut`; `limitReached`, `diskFull`, `diskFailed` when that could not be told to the platform,
    ///   though the app is in the background now; `notRunning` after the end of the runtime.
    public func enterBackground() throws(SignetError) {
        try self.core.enterBackground()
    }

    /// The app comes to the foreground: its session goes on, or the next one begins if the timeout is over.
    ///
    /// - Parameter launchReferral: What brought it there, such as a link.
    /// - Throws: `closed`, `optOut`; `limitReached`, `diskFull`, `diskFailed` when a begin or end could not be written,
    ///   or that could not be told to the platform; `notRunning` after the end of the runtime.
    public func enterForeground(launchReferral: String? = nil) throws(SignetError) {
        try self.core.enterForeground(launchReferral)
        self.core.iterableEntersForeground()
    }
}

extension [String: AttributeValue] {
    /// How many attributes a session may have: an event has 100, and its end says some more.
    private static let sessionLimit = 90
    /// How many bytes of JSON they may be: a batch has 128 KB, in which its end must fit.
    private static let sessionBytes = 64 * 1024

    private func spelling(of name: String) -> String? {
        if self[name] != nil { return name }
        let folded = name.lowercased()
        return self.keys.first { $0.lowercased() == folded }
    }

    fileprivate func value(for name: String) -> AttributeValue? {
        self.spelling(of: name).flatMap { self[$0] }
    }

    fileprivate mutating func set(_ value: AttributeValue?, for name: String) throws(SignetError) {
        guard let value else {
            if let key = self.spelling(of: name) { self[key] = nil }
            return
        }
        switch value {
        case .list, .null:
            throw SignetError(.invalidArgument, "A session attribute is a text, a number, a flag or a date.")
        default: break
        }
        if let violation = EventLimits.violation(ofAttribute: name, value: value) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        guard !EventBody.sessionNames.contains(name.lowercased()) else {
            throw SignetError(.invalidArgument, "The end of a session has \(name) by itself; choose another name.")
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
                "The attributes of the session would have \(size) bytes of JSON; \(Self.sessionBytes) are allowed."
            )
        }
        self[key] = value
    }
}

extension SignetError {
    fileprivate static func notANumber(_ problem: String) -> SignetError {
        SignetError(.invalidArgument, "The session attribute \(problem); nothing was added.")
    }

    /// The call needs a session.
    static let noSession = SignetError(
        .noSession,
        "The installation has no session now; begin one, or log an event that does."
    )
}
